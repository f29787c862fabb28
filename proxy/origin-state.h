/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A connection to an origin, for origin.c, which works it, and pool.c, which keeps it while it is
 * idle. */

#include "proxy/exchange.h"
#include "proxy/h1.h"
#include "proxy/place.h"
#include "proxy/proxy.h"
#include "proxy/stream.h"

enum origin_phase {
    ORIGIN_DIALLING,
    ORIGIN_HANDSHAKE,
    ORIGIN_BUSY, /* with an exchange */
    ORIGIN_IDLE,
    ORIGIN_CLOSED,
};

struct origin {
    struct proxy *proxy;
    struct place *place;
    struct exchange *exchange;
    enum origin_phase phase;
    struct dial *dial;
    struct stream stream;
    struct timer timer;
    struct later again, burial;

    struct h1_decoder decoder;
    struct h1_encoder encoder;
    bool reused;
    bool write_failed; /* an answer may have come all the same */
    bool keep_alive;

    struct origin *next_idle;               /* of its place */
    struct origin *newer_idle, *older_idle; /* of all */
};

/* origin.c */
void origin_close(struct origin *origin);

/* pool.c */
struct place *pool_place(struct pool *pool, enum scheme scheme, const struct identity *identity);
/* One to that place that is idle, which becomes the caller's; NULL: none. */
struct origin *pool_take(struct pool *pool, struct place *place);
/* Makes it idle, or closes it if there are enough. */
void pool_put(struct pool *pool, struct origin *origin);
/* It is idle and about to be closed. */
void pool_drop(struct pool *pool, struct origin *origin);
