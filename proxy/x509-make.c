/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/x509-make.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define DAY_SECONDS (24L * 60 * 60)

/* RFC 5280, 4.1.2.2: positive, at most 20 bytes; and not to be guessed. */
#define SERIAL_BYTES 16

static int set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return -EIO;
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);
    BIGNUM *number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    int done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return done ? 0 : -ENOMEM;
}

int x509_fill(X509 *certificate, EVP_PKEY *key, const char *common_name, int days)
{
    int r = set_serial(certificate);
    if (r < 0)
        return r;
    if (!X509_set_version(certificate, X509_VERSION_3) || !X509_set_pubkey(certificate, key) ||
        !X509_gmtime_adj(X509_getm_notBefore(certificate), -X509_BACKDATE_DAYS * DAY_SECONDS) ||
        !X509_gmtime_adj(X509_getm_notAfter(certificate), days * DAY_SECONDS))
        return -ENOMEM;
    if (*common_name &&
        !X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                    MBSTRING_ASC, (const unsigned char *)common_name, -1, -1, 0))
        return -ENOMEM;
    return 0;
}

int x509_extend(X509 *certificate, X509 *issuer, const struct x509_extension *extensions, size_t n)
{
    X509V3_CTX context;

    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        X509_EXTENSION *extension =
            X509V3_EXT_nconf_nid(NULL, &context, extensions[i].nid, extensions[i].value);
        int done = extension && X509_add_ext(certificate, extension, -1);

        X509_EXTENSION_free(extension);
        if (!done)
            return -EIO;
    }
    return 0;
}
