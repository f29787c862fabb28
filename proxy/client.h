/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Connections of clients, from accept to the last byte.
 *
 * Promises: requests are answered one after the other, in order, each whole; a client that is slow,
 * silent or gone costs a bounded amount for a bounded time; a connection that ends says so before,
 * and reads on for a while, so that the answer arrives. */

#include "proxy/proxy.h"

/* Takes fd, connected and not blocking. A failure has closed it. */
int client_new(struct proxy *proxy, int fd);

/* SSL_CTX_set_cert_cb()'s. */
int client_certificate(SSL *ssl, void *userdata);
