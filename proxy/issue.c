/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/issue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "conf/cleanup.h"
#include "proxy/x509-make.h"

static inline void certificatep(X509 **certificate)
{
    X509_free(*certificate);
}

/* RFC 5280, 4.2.1.6: addresses are octets in an iPAddress, and clients look for them nowhere else.
 */
static GENERAL_NAME *name_of(const struct identity *identity)
{
    unsigned char address[16];
    int size = identity->v6 ? 16 : 4;

    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *value = identity->literal ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
    if (!name || !value)
        goto fail;
    if (identity->literal) {
        if (inet_pton(identity->v6 ? AF_INET6 : AF_INET, identity->host, address) != 1 ||
            !ASN1_STRING_set(value, address, size))
            goto fail;
    } else if (!ASN1_STRING_set(value, identity->host, (int)strlen(identity->host)))
        goto fail;
    GENERAL_NAME_set0_value(name, identity->literal ? GEN_IPADD : GEN_DNS, value);
    return name;

fail:
    GENERAL_NAME_free(name);
    ASN1_STRING_free(value);
    return NULL;
}

static int add_name(X509 *certificate, const struct identity *identity)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = name_of(identity);

    if (!names || !name || !sk_GENERAL_NAME_push(names, name)) {
        GENERAL_NAME_free(name);
        GENERAL_NAMES_free(names);
        return -ENOMEM;
    }
    /* Critical, as the subject is empty (RFC 5280, 4.2.1.6); a common name has 64 characters at
     * most and is not looked at by anybody. */
    int done = X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 1, X509V3_ADD_APPEND);
    GENERAL_NAMES_free(names);
    return done == 1 ? 0 : -ENOMEM;
}

int issue_leaf(EVP_PKEY *ca_key, X509 *ca, EVP_PKEY *leaf_key, const struct identity *identity,
               X509 **ret)
{
    static const struct x509_extension extensions[] = {
        { NID_basic_constraints, "critical,CA:FALSE" },
        { NID_key_usage, "critical,digitalSignature" },
        { NID_ext_key_usage, "serverAuth" },
        { NID_subject_key_identifier, "hash" },
        { NID_authority_key_identifier, "keyid:always" },
    };
    _cleanup_(certificatep) X509 *leaf = X509_new();

    if (!leaf)
        return -ENOMEM;
    int r = x509_fill(leaf, leaf_key, "", LEAF_DAYS);
    if (r < 0)
        return r;
    if (!X509_set_issuer_name(leaf, X509_get_subject_name(ca)))
        return -ENOMEM;
    r = x509_extend(leaf, ca, extensions, sizeof(extensions) / sizeof(extensions[0]));
    if (r < 0)
        return r;
    r = add_name(leaf, identity);
    if (r < 0)
        return r;
    if (!X509_sign(leaf, ca_key, EVP_sha256()))
        return -EIO;
    *ret = steal_ptr(leaf);
    return 0;
}
