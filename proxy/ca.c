/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/ca.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/x509-make.h"

#define VALID_DAYS 3650
/* Below this a new one is made at start. Longer than any session, which goes on trusting the old.
 */
#define RENEW_DAYS 30

static inline void bio_freep(BIO **bio)
{
    BIO_free(*bio);
}

static inline void keyp(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}

static inline void certificatep(X509 **certificate)
{
    X509_free(*certificate);
}

int ca_make(const char *sandbox, EVP_PKEY **ret_key, X509 **ret_certificate)
{
    static const struct x509_extension extensions[] = {
        { NID_basic_constraints, "critical,CA:TRUE,pathlen:0" },
        { NID_key_usage, "critical,keyCertSign,cRLSign" },
        { NID_subject_key_identifier, "hash" },
    };
    _cleanup_(keyp) EVP_PKEY *key = EVP_EC_gen("P-256");
    _cleanup_(certificatep) X509 *certificate = X509_new();
    char name[64];

    if (!key || !certificate)
        return -ENOMEM;
    snprintf(name, sizeof(name), "pam-sandbox egress of %.40s", sandbox);
    int r = x509_fill(certificate, key, name, VALID_DAYS);
    if (r < 0)
        return r;
    if (!X509_set_issuer_name(certificate, X509_get_subject_name(certificate)))
        return -ENOMEM;
    r = x509_extend(certificate, certificate, extensions,
                    sizeof(extensions) / sizeof(extensions[0]));
    if (r < 0)
        return r;
    if (!X509_sign(certificate, key, EVP_sha256()))
        return -EIO;
    *ret_key = steal_ptr(key);
    *ret_certificate = steal_ptr(certificate);
    return 0;
}

bool ca_is_usable(EVP_PKEY *key, X509 *certificate)
{
    int days, seconds;

    if (X509_check_private_key(certificate, key) != 1 || X509_check_ca(certificate) != 1)
        return false;
    if (X509_cmp_current_time(X509_get0_notBefore(certificate)) >= 0)
        return false;
    if (!ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)))
        return false;
    return days >= RENEW_DAYS;
}

static BIO *bio_of(int fd)
{
    return BIO_new_fd(fd, BIO_NOCLOSE);
}

int ca_read_key(int fd, EVP_PKEY **ret)
{
    _cleanup_(bio_freep) BIO *bio = bio_of(fd);

    if (!bio)
        return -ENOMEM;
    *ret = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    return *ret ? 0 : -EBADMSG;
}

int ca_read_certificate(int fd, X509 **ret)
{
    _cleanup_(bio_freep) BIO *bio = bio_of(fd);

    if (!bio)
        return -ENOMEM;
    *ret = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    return *ret ? 0 : -EBADMSG;
}

/* Under a name of its own first; the caller renames it. */
static int create(int dir, const char *name, mode_t mode, char temporary[static 64])
{
    snprintf(temporary, 64, ".%s.new", name);
    if (unlinkat(dir, temporary, 0) < 0 && errno != ENOENT)
        return -errno;
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}

static int commit(int dir, int fd, const char *temporary, const char *name, mode_t mode)
{
    if (fchmod(fd, mode) < 0 || fsync(fd) < 0 || renameat(dir, temporary, dir, name) < 0)
        return -errno;
    return 0;
}

static int write_key(int dir, EVP_PKEY *key)
{
    char temporary[64];
    _cleanup_close_ int fd = create(dir, CA_KEY_FILE, 0600, temporary);
    if (fd < 0)
        return fd;
    _cleanup_(bio_freep) BIO *bio = bio_of(fd);
    if (!bio || !PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL))
        return -EIO;
    return commit(dir, fd, temporary, CA_KEY_FILE, 0600);
}

static int write_certificate(int dir, X509 *certificate)
{
    char temporary[64];
    _cleanup_close_ int fd = create(dir, CA_CERTIFICATE_FILE, 0644, temporary);
    if (fd < 0)
        return fd;
    _cleanup_(bio_freep) BIO *bio = bio_of(fd);
    if (!bio || !PEM_write_bio_X509(bio, certificate))
        return -EIO;
    return commit(dir, fd, temporary, CA_CERTIFICATE_FILE, 0644);
}

static bool is_there(int dir)
{
    _cleanup_close_ int key_fd = openat(dir, CA_KEY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_close_ int certificate_fd =
        openat(dir, CA_CERTIFICATE_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_(keyp) EVP_PKEY *key = NULL;
    _cleanup_(certificatep) X509 *certificate = NULL;

    return key_fd >= 0 && certificate_fd >= 0 && ca_read_key(key_fd, &key) == 0 &&
           ca_read_certificate(certificate_fd, &certificate) == 0 && ca_is_usable(key, certificate);
}

static int keep_old(int dir, const char *name)
{
    char old[64];

    snprintf(old, sizeof(old), "%s.old", name);
    return renameat(dir, name, dir, old) < 0 && errno != ENOENT ? -errno : 0;
}

int ca_ensure(int dir, const char *sandbox, bool *ret_made)
{
    _cleanup_(keyp) EVP_PKEY *key = NULL;
    _cleanup_(certificatep) X509 *certificate = NULL;

    *ret_made = !is_there(dir);
    if (!*ret_made)
        return 0;
    int r = ca_make(sandbox, &key, &certificate);
    if (r < 0)
        return r;
    r = keep_old(dir, CA_KEY_FILE);
    if (r < 0)
        return r;
    r = keep_old(dir, CA_CERTIFICATE_FILE);
    if (r < 0)
        return r;
    r = write_key(dir, key);
    return r < 0 ? r : write_certificate(dir, certificate);
}

static int copy(int from, int to)
{
    struct stat st;

    if (fstat(from, &st) < 0)
        return -errno;
    for (off_t left = st.st_size; left > 0;) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        left -= n;
    }
    return 0;
}

int ca_publish(int dir, X509 *certificate, const char *system_bundle)
{
    char temporary[64];

    _cleanup_close_ int system = open(system_bundle, O_RDONLY | O_CLOEXEC);
    if (system < 0)
        return -errno;
    _cleanup_close_ int bundle = create(dir, CA_BUNDLE_FILE, 0644, temporary);
    if (bundle < 0)
        return bundle;
    int r = copy(system, bundle);
    if (r < 0)
        return r;
    _cleanup_(bio_freep) BIO *bio = bio_of(bundle);
    if (!bio || !PEM_write_bio_X509(bio, certificate))
        return -EIO;
    r = commit(dir, bundle, temporary, CA_BUNDLE_FILE, 0644);
    return r < 0 ? r : write_certificate(dir, certificate);
}
