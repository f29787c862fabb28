/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/ca.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/x509-make.h"

#define VALID_DAYS 3650
/* Below this a new one is made at start. Longer than any session, which goes on trusting the old.
 */
#define RENEW_DAYS 30
/* As long as anybody who trusts the one before may still run. */
#define BRIDGE_DAYS 365

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
        /* No pathlen: successors are below it for a while, ca_bridge(). */
        { NID_basic_constraints, "critical,CA:TRUE" },
        { NID_key_usage, "critical,keyCertSign,cRLSign" },
        { NID_subject_key_identifier, "hash" },
    };
    _cleanup_(keyp) EVP_PKEY *key = EVP_EC_gen("P-256");
    _cleanup_(certificatep) X509 *certificate = X509_new();
    unsigned char mark[4];
    char name[64];

    if (!key || !certificate)
        return -ENOMEM;
    if (RAND_bytes(mark, sizeof(mark)) != 1)
        return -EIO;
    /* A name of its own: some clients look for the issuer by name alone, and would take another. */
    snprintf(name, sizeof(name), "pam-sandbox egress of %.32s %02x%02x%02x%02x", sandbox, mark[0],
             mark[1], mark[2], mark[3]);
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

static void name_temporary(const struct ca_file *file, char temporary[static 64])
{
    snprintf(temporary, 64, ".%s.new", file->name);
}

int ca_file_begin(int dir, const char *name, mode_t mode, struct ca_file *ret)
{
    char temporary[64];

    *ret = (struct ca_file){ .dir = dir, .fd = -1, .name = name, .mode = mode };
    name_temporary(ret, temporary);
    if (unlinkat(dir, temporary, 0) < 0 && errno != ENOENT)
        return -errno;
    ret->fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (ret->fd < 0)
        return -errno;
    ret->bio = bio_of(ret->fd);
    return ret->bio ? 0 : -ENOMEM;
}

int ca_file_end(struct ca_file *file, int r)
{
    char temporary[64];

    name_temporary(file, temporary);
    BIO_free(file->bio);
    if (r == 0 && (fchmod(file->fd, file->mode) < 0 || fsync(file->fd) < 0 ||
                   renameat(file->dir, temporary, file->dir, file->name) < 0))
        r = -errno;
    if (file->fd >= 0) {
        close(file->fd);
        if (r < 0)
            unlinkat(file->dir, temporary, 0);
    }
    return r;
}

static int write_key(int dir, EVP_PKEY *key)
{
    struct ca_file file;

    int r = ca_file_begin(dir, CA_KEY_FILE, 0600, &file);
    if (r == 0 && !PEM_write_bio_PrivateKey(file.bio, key, NULL, NULL, 0, NULL, NULL))
        r = -EIO;
    return ca_file_end(&file, r);
}

int ca_write_certificates(int dir, const char *name, X509 *const *certificates, size_t n)
{
    struct ca_file file;

    int r = ca_file_begin(dir, name, 0644, &file);
    for (size_t i = 0; r == 0 && i < n; i++)
        if (!PEM_write_bio_X509(file.bio, certificates[i]))
            r = -EIO;
    return ca_file_end(&file, r);
}

/* *ret_key and *ret_certificate are NULL unless both can be read. */
static void read_pair(int dir, EVP_PKEY **ret_key, X509 **ret_certificate)
{
    _cleanup_close_ int key_fd = openat(dir, CA_KEY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_close_ int certificate_fd =
        openat(dir, CA_CERTIFICATE_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_(keyp) EVP_PKEY *key = NULL;
    _cleanup_(certificatep) X509 *certificate = NULL;

    *ret_key = NULL;
    *ret_certificate = NULL;
    if (key_fd < 0 || certificate_fd < 0 || ca_read_key(key_fd, &key) < 0 ||
        ca_read_certificate(certificate_fd, &certificate) < 0)
        return;
    *ret_key = steal_ptr(key);
    *ret_certificate = steal_ptr(certificate);
}

int ca_bridge(EVP_PKEY *old_key, X509 *old, X509 *successor, X509 **ret)
{
    static const struct x509_extension extensions[] = {
        { NID_basic_constraints, "critical,CA:TRUE" },
        { NID_key_usage, "critical,keyCertSign,cRLSign" },
        { NID_subject_key_identifier, "hash" },
        { NID_authority_key_identifier, "keyid:always" },
    };
    _cleanup_(certificatep) X509 *bridge = X509_new();

    if (!bridge)
        return -ENOMEM;
    int r = x509_fill(bridge, X509_get0_pubkey(successor), "", BRIDGE_DAYS);
    if (r < 0)
        return r;
    if (!X509_set_subject_name(bridge, X509_get_subject_name(successor)) ||
        !X509_set_issuer_name(bridge, X509_get_subject_name(old)))
        return -ENOMEM;
    r = x509_extend(bridge, old, extensions, sizeof(extensions) / sizeof(extensions[0]));
    if (r < 0)
        return r;
    if (!X509_sign(bridge, old_key, EVP_sha256()))
        return -EIO;
    *ret = steal_ptr(bridge);
    return 0;
}

static int keep_old(int dir, const char *name)
{
    char old[64];

    snprintf(old, sizeof(old), "%s.old", name);
    return renameat(dir, name, dir, old) < 0 && errno != ENOENT ? -errno : 0;
}

int ca_ensure(int dir, const char *sandbox, bool anew, struct ca_change *ret)
{
    _cleanup_(keyp) EVP_PKEY *key = NULL, *old_key = NULL;
    _cleanup_(certificatep) X509 *certificate = NULL, *old = NULL, *bridge = NULL;

    *ret = (struct ca_change){ 0 };
    read_pair(dir, &old_key, &old);
    if (!anew && old && ca_is_usable(old_key, old))
        return 0;
    int r = ca_make(sandbox, &key, &certificate);
    if (r < 0)
        return r;
    /* A pair that is near its end can vouch for another; one that does not belong together cannot.
     */
    if (old && X509_check_private_key(old, old_key) == 1)
        r = ca_bridge(old_key, old, certificate, &bridge);
    else
        r = keep_old(dir, CA_KEY_FILE);
    if (r == 0)
        r = keep_old(dir, CA_CERTIFICATE_FILE);
    if (r == 0)
        r = write_key(dir, key);
    if (r == 0)
        r = ca_write_certificates(dir, CA_CERTIFICATE_FILE, &certificate, 1);
    if (r < 0)
        return r;
    *ret = (struct ca_change){ .made = true, .bridge = steal_ptr(bridge) };
    return 0;
}
