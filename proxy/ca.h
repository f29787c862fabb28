/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The certificate authority of one sandbox: its key and certificate, as files. Root makes them; the
 * key is root's and is handed to the signer as a descriptor, so that the proxy's own user cannot
 * read it. What the sandbox's programs trust is ca-publish.h's.
 *
 * All functions return 0 or a negative errno. Files are replaced by rename, never edited. */

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CA_KEY_FILE "ca.key"
#define CA_CERTIFICATE_FILE "ca.pem"

/* Makes a key and a self-signed certificate for the sandbox of that name. */
int ca_make(const char *sandbox, EVP_PKEY **ret_key, X509 **ret_certificate);

/* Whether the two belong together, may sign, and are valid now and for some days more. */
bool ca_is_usable(EVP_PKEY *key, X509 *certificate);

/* From open descriptors, which stay the caller's. -EBADMSG: not PEM. */
int ca_read_key(int fd, EVP_PKEY **ret);
int ca_read_certificate(int fd, X509 **ret);

/* Lets one authority vouch for its successor: the successor's name and key under the old one's
 * signature. Whoever trusts the old one alone then trusts what the new one signs, if he is sent
 * this with it. */
int ca_bridge(EVP_PKEY *old_key, X509 *old, X509 *successor, X509 **ret);

struct ca_change {
    bool made;    /* there is a new one */
    X509 *bridge; /* to it, from the one before; NULL if that could not sign any more */
};

/* What must be in dir, which belongs to root: ca.key (0600) and ca.pem. Makes both when either is
 * missing or not usable, or anew is asked for; the old certificate is then kept as ca.pem.old, for
 * whoever wants to know what happened, and an old key that cannot be used as ca.key.old. One that
 * could be is gone. The caller frees ret->bridge. */
int ca_ensure(int dir, const char *sandbox, bool anew, struct ca_change *ret);

/* A file in dir that takes the place of another when it is whole. ca_file_end() makes it that if r
 * is 0, and else throws it away; it returns r or what went wrong then, also if the begin failed. */
struct ca_file {
    int dir, fd;
    BIO *bio;
    const char *name;
    mode_t mode;
};

int ca_file_begin(int dir, const char *name, mode_t mode, struct ca_file *ret);
int ca_file_end(struct ca_file *file, int r);

/* Writes a certificate, or more, as a file in dir that everybody may read. */
int ca_write_certificates(int dir, const char *name, X509 *const *certificates, size_t n);
