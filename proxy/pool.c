/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/pool.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/cleanup.h"
#include "proxy/origin-state.h"
#include "proxy/tls.h"

/* Idle connections, to one place and in all. */
#define IDLE_HERE_MAX 32
#define IDLE_MAX 512

struct pool {
    struct places places;
    struct origin *oldest, *newest; /* of all places */
    size_t n;
};

/* A ticket, which for TLS 1.3 can be used once: the last one stays. */
static int on_session(SSL *ssl, SSL_SESSION *session)
{
    struct place *place = SSL_get_app_data(ssl);

    SSL_SESSION_free(place->session);
    place->session = session;
    return 1;
}

int pool_new(struct proxy *proxy, struct pool **ret)
{
    _cleanup_free_ struct pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return -ENOMEM;
    int r = tls_new_for_origins(on_session, &proxy->origin_tls);
    if (r < 0)
        return r;
    *ret = steal_ptr(pool);
    return 0;
}

struct place *pool_place(struct pool *pool, enum scheme scheme, const struct identity *identity)
{
    return places_get(&pool->places, scheme, identity);
}

void pool_drop(struct pool *pool, struct origin *origin)
{
    struct origin **at = &origin->place->idle;

    while (*at != origin)
        at = &(*at)->next_idle;
    *at = origin->next_idle;
    *(origin->newer_idle ? &origin->newer_idle->older_idle : &pool->newest) = origin->older_idle;
    *(origin->older_idle ? &origin->older_idle->newer_idle : &pool->oldest) = origin->newer_idle;
    origin->next_idle = origin->newer_idle = origin->older_idle = NULL;
    pool->n--;
}

struct origin *pool_take(struct pool *pool, struct place *place)
{
    struct origin *origin = place->idle;

    if (!origin)
        return NULL;
    pool_drop(pool, origin);
    timer_disarm(&origin->timer);
    return origin;
}

static size_t n_idle_here(const struct place *place)
{
    size_t n = 0;

    for (const struct origin *origin = place->idle; origin; origin = origin->next_idle)
        n++;
    return n;
}

void pool_put(struct pool *pool, struct origin *origin)
{
    if (n_idle_here(origin->place) >= IDLE_HERE_MAX) {
        origin_close(origin);
        return;
    }
    if (pool->n >= IDLE_MAX)
        origin_close(pool->oldest);
    origin->phase = ORIGIN_IDLE;
    origin->next_idle = origin->place->idle;
    origin->place->idle = origin;
    origin->older_idle = pool->newest;
    *(origin->older_idle ? &origin->older_idle->newer_idle : &pool->oldest) = origin;
    pool->newest = origin;
    pool->n++;
    timer_arm(&origin->proxy->timers, &origin->timer, TIMER_POOL);
}
