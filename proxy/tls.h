/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How TLS is spoken on either leg. 1.2 and 1.3, HTTP/1.1 by ALPN; h2 is one more name here. */

#include <openssl/ssl.h>
#include <stdbool.h>

#include "proxy/host.h"

/* For clients: certificates come from certificate_callback, which SSL_CTX_set_cert_cb() describes.
 */
int tls_new_for_clients(int (*certificate_callback)(SSL *ssl, void *userdata), SSL_CTX **ret);

/* For origins: verified against the system's store. session_callback is
 * SSL_CTX_sess_set_new_cb()'s. */
int tls_new_for_origins(int (*session_callback)(SSL *ssl, SSL_SESSION *session), SSL_CTX **ret);

/* A connection to that host and no other. NULL: out of memory. */
SSL *tls_to_origin(SSL_CTX *context, const struct identity *identity);

/* After a failed handshake with an origin: what is wrong with its certificate, for people; false if
 * it is not that. */
bool tls_certificate_problem(SSL *ssl, char *text, size_t size);
