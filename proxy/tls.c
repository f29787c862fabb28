/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/tls.h"

#include <errno.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "conf/cleanup.h"

/* Four records, each with its head, its type and its tag (RFC 8446, 5.2), and what OpenSSL loses of
 * it to align them. */
#define READ_BUFFER_SIZE (4 * (SSL3_RT_MAX_PLAIN_LENGTH + SSL3_RT_HEADER_LENGTH + 1 + 16) + 16)

static const unsigned char protocols[] = "\x08http/1.1";

static inline void contextp(SSL_CTX **context)
{
    SSL_CTX_free(*context);
}

/* Both legs in the order of cost: AES-128 encrypts faster than AES-256, and its handshake hashes
 * with SHA-256, for which processors have instructions. */
static const char suites[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

static SSL_CTX *new_context(const SSL_METHOD *method)
{
    _cleanup_(contextp) SSL_CTX *context = SSL_CTX_new(method);

    if (!context || SSL_CTX_set_ciphersuites(context, suites) != 1)
        return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    /* Buffers are given back while a connection is idle, and what is queued may move in memory. One
     * call of recv(2) for as many records as are read at a time, not two for each. */
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, READ_BUFFER_SIZE);
    return steal_ptr(context);
}

/* RFC 7301, 3.2: who names protocols and none that we speak is told so. */
static int select_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_size,
                           const unsigned char *offered, unsigned offered_size, void *userdata)
{
    (void)ssl;
    (void)userdata;
    if (SSL_select_next_proto((unsigned char **)ret, ret_size, protocols, sizeof(protocols) - 1,
                              offered, offered_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    return SSL_TLSEXT_ERR_OK;
}

int tls_new_for_clients(int (*certificate_callback)(SSL *ssl, void *userdata), SSL_CTX **ret)
{
    _cleanup_(contextp) SSL_CTX *context = new_context(TLS_server_method());

    if (!context)
        return -ENOMEM;
    SSL_CTX_set_cert_cb(context, certificate_callback, NULL);
    SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
    /* This leg does not leave the host: the cheapest group that clients offer, and not the one that
     * they would rather have, which for OpenSSL's own is the dearest. */
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
    if (SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384:P-521:X25519MLKEM768") != 1)
        return -EINVAL;
    /* Resumption is by tickets, and nothing is kept. With TLS 1.3 they are
     * stream_offer_resumption()'s, as many clients come once: to make one costs a tenth of a
     * handshake, and to send it a segment. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    *ret = steal_ptr(context);
    return 0;
}

int tls_new_for_origins(int (*session_callback)(SSL *ssl, SSL_SESSION *session), SSL_CTX **ret)
{
    _cleanup_(contextp) SSL_CTX *context = new_context(TLS_client_method());

    if (!context)
        return -ENOMEM;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    /* The directory and not the bundle: certificates are read when they are needed, and not all
     * hundred and forty into memory. */
    if (SSL_CTX_set_default_verify_dir(context) != 1)
        return -ENOMEM;
    SSL_CTX_set_session_cache_mode(context,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(context, session_callback);
    if (SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols) - 1) != 0)
        return -ENOMEM;
    *ret = steal_ptr(context);
    return 0;
}

static inline void sslp(SSL **ssl)
{
    SSL_free(*ssl);
}

SSL *tls_to_origin(SSL_CTX *context, const struct identity *identity)
{
    _cleanup_(sslp) SSL *ssl = SSL_new(context);

    if (!ssl)
        return NULL;
    SSL_set_connect_state(ssl);
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (identity->literal) {
        if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), identity->host) != 1)
            return NULL;
    } else if (SSL_set1_host(ssl, identity->host) != 1 ||
               SSL_set_tlsext_host_name(ssl, identity->host) != 1)
        return NULL;
    return steal_ptr(ssl);
}

/* Names in certificates are whatever their maker wrote: RFC 2253 with everything but printable
 * ASCII escaped. */
static void format_name(const X509_NAME *name, char *text, size_t size)
{
    BIO *bio = BIO_new(BIO_s_mem());
    int n = 0;

    if (bio && X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) >= 0)
        n = BIO_read(bio, text, (int)size - 1);
    BIO_free(bio);
    text[n > 0 ? n : 0] = '\0';
    for (char *c = text; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            *c = '?';
}

bool tls_certificate_problem(SSL *ssl, char *text, size_t size)
{
    char name[128] = "";
    long result = SSL_get_verify_result(ssl);
    const STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
    int n = chain ? sk_X509_num(chain) : 0;

    if (result == X509_V_OK)
        return false;
    if (n > 0)
        format_name(X509_get_issuer_name(sk_X509_value(chain, n - 1)), name, sizeof(name));
    switch (result) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        if (n == 1)
            snprintf(text, size,
                     "the origin does not send the intermediate certificate \"%s\", "
                     "or nobody here trusts it",
                     name);
        else
            snprintf(text, size,
                     "the origin's certificate is issued under \"%s\", which is not "
                     "trusted here",
                     name);
        break;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        snprintf(text, size,
                 "the origin's certificate is issued under \"%s\", which is not "
                 "trusted here",
                 name);
        break;
    case X509_V_ERR_CERT_HAS_EXPIRED:
        snprintf(text, size, "the origin's certificate has expired");
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        snprintf(text, size, "the origin's certificate is for other names");
        break;
    default:
        snprintf(text, size, "the origin's certificate cannot be verified: %s",
                 X509_verify_cert_error_string(result));
    }
    return true;
}
