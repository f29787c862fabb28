/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The certificate authority of one sandbox: its key and certificate, as files, and the bundle that
 * the sandbox's programs trust. Root makes them; the key is root's and is handed to the signer as a
 * descriptor, so that the proxy's own user cannot read it.
 *
 * All functions return 0 or a negative errno. Files are replaced by rename, never edited. */

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>

#define CA_KEY_FILE "ca.key"
#define CA_CERTIFICATE_FILE "ca.pem"
#define CA_BUNDLE_FILE "bundle.pem"

/* Makes a key and a self-signed certificate for the sandbox of that name. */
int ca_make(const char *sandbox, EVP_PKEY **ret_key, X509 **ret_certificate);

/* Whether the two belong together, may sign, and are valid now and for some days more. */
bool ca_is_usable(EVP_PKEY *key, X509 *certificate);

/* From open descriptors, which stay the caller's. -EBADMSG: not PEM. */
int ca_read_key(int fd, EVP_PKEY **ret);
int ca_read_certificate(int fd, X509 **ret);

/* What must be in dir, which belongs to root: ca.key (0600) and ca.pem. Makes both when either is
 * missing or not usable; the old ones are then kept as ca.key.old and ca.pem.old, for whoever wants
 * to know what happened. *ret_made says whether it did. */
int ca_ensure(int dir, const char *sandbox, bool *ret_made);

/* Writes into dir: ca.pem, and bundle.pem, the system's bundle followed by it. */
int ca_publish(int dir, X509 *certificate, const char *system_bundle);
