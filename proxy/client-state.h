/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A client's connection, for the files that serve it: client.c (its life), client-http.c (requests
 * and responses), client-tunnel.c (what follows CONNECT). */

#include "proxy/exchange.h"
#include "proxy/h1.h"
#include "proxy/leaf.h"
#include "proxy/proxy.h"
#include "proxy/stream.h"

enum client_phase {
    CLIENT_HTTP,
    CLIENT_SNIFF, /* after 200 to CONNECT: TLS, HTTP or something else? */
    CLIENT_HANDSHAKE,
    CLIENT_LINGER, /* everything is said; what comes is thrown away */
    CLIENT_CLOSED,
};

struct client {
    struct proxy *proxy;
    enum client_phase phase;
    struct stream stream;
    struct timer timer;
    struct later again, burial;

    struct h1_decoder decoder;
    struct h1_encoder encoder;
    struct exchange exchange;
    struct buffer rest; /* read, and to be decoded after the current response */

    bool http10;     /* the current request */
    bool responding; /* from its head to the end of the response */
    bool close;      /* after this response */
    bool cut;        /* likewise, but the response is not whole */
    bool deaf;       /* what comes cannot be understood any more */

    bool in_tunnel;
    bool connects; /* the head that was just read is CONNECT's */
    struct identity tunnel;
    struct identity server_name; /* of the handshake, if it named one */
    bool misnamed;               /* and it is not the tunnel's */
    unsigned n_requests;         /* in TLS, up to 2 */
    struct leaf_waiter leaf;
};

/* client.c */
void client_close(struct client *client);
void client_pump_later(struct client *client);

/* client-http.c */
void client_http_init(struct client *client);
void client_http_work(struct client *client);
void client_http_timed_out(struct client *client);

/* client-tunnel.c */
void client_tunnel_begin(struct client *client);
void client_tunnel_sniff(struct client *client);
void client_tunnel_shake(struct client *client);
