/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Issues leaves. Promises that whatever is asked for, what comes out is a certificate of a server
 * for one host that host_normalise() takes, valid for days, and never an authority's. */

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "proxy/host.h"

#define LEAF_DAYS 7

/* 0 or a negative errno. */
int issue_leaf(EVP_PKEY *ca_key, X509 *ca, EVP_PKEY *leaf_key, const struct identity *identity,
               X509 **ret);
