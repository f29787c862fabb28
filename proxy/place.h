/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where requests go, by scheme, host and port: what is kept for the next one. A table of bounded
 * size; what was not used for longest goes first, unless a connection belongs to it. For origin.c.
 */

#include <openssl/ssl.h>
#include <stddef.h>

#include "proxy/message.h"

#define PLACES_MAX 4096

struct origin;

struct place {
    struct place *next; /* in its bucket */
    struct place *newer, *older;
    enum scheme scheme;
    struct identity identity;
    SSL_SESSION *session; /* to resume, or NULL */
    size_t n_origins;     /* idle or not */
    struct origin *idle;  /* the last one used first: it is the least likely to be closed */
};

struct places {
    struct place *buckets[1024];
    struct place *newest, *oldest;
    size_t n;
};

/* NULL: out of memory. */
struct place *places_get(struct places *places, enum scheme scheme,
                         const struct identity *identity);
