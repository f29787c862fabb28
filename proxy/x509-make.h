/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What certificates of an authority and of its leaves have in common. For ca.c and issue.c. */

#include <openssl/x509.h>
#include <stddef.h>

/* A certificate that is used by a host whose clock was set back must not be "not yet valid". */
#define X509_BACKDATE_DAYS 2

struct x509_extension {
    int nid;
    const char
        *value; /* as in openssl-x509v3_config(5): a constant, nothing that came from outside */
};

/* Version, a random serial number, key, common name and validity. 0 or -ENOMEM. */
int x509_fill(X509 *certificate, EVP_PKEY *key, const char *common_name, int days);
int x509_extend(X509 *certificate, X509 *issuer, const struct x509_extension *extensions, size_t n);
