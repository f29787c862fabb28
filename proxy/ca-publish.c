/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/ca-publish.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "proxy/ca.h"

static inline void bio_freep(BIO **bio)
{
    BIO_free(*bio);
}

static inline void stackp(STACK_OF(X509) * *stack)
{
    sk_X509_pop_free(*stack, X509_free);
}

static inline void pkcs12p(PKCS12 **store)
{
    PKCS12_free(*store);
}

/* All certificates in a file of PEM blocks, but for those that OpenSSL cannot read. */
static int read_certificates(int fd, STACK_OF(X509) * to)
{
    _cleanup_(bio_freep) BIO *bio = BIO_new_fd(fd, BIO_NOCLOSE);
    bool at_end = false;

    if (!bio)
        return -ENOMEM;
    while (!at_end) {
        X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

        if (certificate && !sk_X509_push(to, certificate)) {
            X509_free(certificate);
            return -ENOMEM;
        }
        at_end = !certificate && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
        ERR_clear_error();
    }
    return 0;
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

/* Without it the JVM takes a certificate for a part of somebody's chain, and trusts nobody. */
static int mark_trusted(PKCS12_SAFEBAG *bag, void *userdata)
{
    (void)userdata;
    return PKCS12_add1_attr_by_NID(bag, NID_oracle_jdk_trustedkeyusage, V_ASN1_OBJECT,
                                   (const unsigned char *)OBJ_nid2obj(NID_anyExtendedKeyUsage), -1);
}

/* There is no secret in it, so it is neither encrypted nor authenticated, and the JVM asks for no
 * password. */
static int write_java(int dir, STACK_OF(X509) * certificates)
{
    _cleanup_(pkcs12p) PKCS12 *store = PKCS12_create_ex2(
        NULL, NULL, NULL, NULL, certificates, -1, -1, 0, -1, 0, NULL, NULL, mark_trusted, NULL);
    struct ca_file file;

    if (!store)
        return -EIO;
    int r = ca_file_begin(dir, EGRESS_JAVA_NAME, 0644, &file);
    if (r == 0 && !i2d_PKCS12_bio(file.bio, store))
        r = -EIO;
    return ca_file_end(&file, r);
}

static int publish_java(int dir, X509 *certificate, int system)
{
    _cleanup_(stackp) STACK_OF(X509) *all = sk_X509_new_null();

    if (!all)
        return -ENOMEM;
    int r = read_certificates(system, all);
    if (r < 0)
        return r;
    if (!X509_add_cert(all, certificate, X509_ADD_FLAG_UP_REF))
        return -ENOMEM;
    return write_java(dir, all);
}

static int remove_java(int dir)
{
    return unlinkat(dir, EGRESS_JAVA_NAME, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* As the system has it, to the letter: others may read what OpenSSL does not. */
static int publish_bundle(int dir, X509 *certificate, int system)
{
    struct ca_file file;

    int r = ca_file_begin(dir, EGRESS_BUNDLE_NAME, 0644, &file);
    if (r == 0)
        r = copy(system, file.fd);
    if (r == 0 && !PEM_write_bio_X509(file.bio, certificate))
        r = -EIO;
    return ca_file_end(&file, r);
}

int ca_publish(int dir, X509 *certificate, const char *system_bundle, bool for_java)
{
    _cleanup_close_ int system = open(system_bundle, O_RDONLY | O_CLOEXEC);

    if (system < 0)
        return -errno;
    int r = for_java ? publish_java(dir, certificate, system) : remove_java(dir);
    if (r == 0)
        r = ca_write_certificates(dir, EGRESS_CERTIFICATE_NAME, &certificate, 1);
    if (r == 0 && lseek(system, 0, SEEK_SET) < 0)
        r = -errno;
    /* The last one: where it is, the others are. */
    return r < 0 ? r : publish_bundle(dir, certificate, system);
}

STACK_OF(X509) * ca_read_bridges(int dir)
{
    _cleanup_(stackp) STACK_OF(X509) *bridges = sk_X509_new_null();
    _cleanup_close_ int fd = openat(dir, CA_BRIDGES_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (bridges && fd >= 0)
        (void)read_certificates(fd, bridges);
    return steal_ptr(bridges);
}

int ca_publish_bridge(int dir, X509 *bridge)
{
    _cleanup_(stackp) STACK_OF(X509) *before = ca_read_bridges(dir);
    X509 *list[CA_BRIDGES_MAX] = { bridge };
    size_t n = 1;

    if (!before)
        return -ENOMEM;
    for (int i = 0; i < sk_X509_num(before) && n < CA_BRIDGES_MAX; i++)
        list[n++] = sk_X509_value(before, i);
    return ca_write_certificates(dir, CA_BRIDGES_NAME, list, n);
}
