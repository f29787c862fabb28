/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/place.h"

#include <stdlib.h>
#include <string.h>

static struct place **bucket_of(struct places *places, enum scheme scheme,
                                const struct identity *identity)
{
    uint32_t hash = 2166136261u ^ (uint32_t)identity->port ^ (uint32_t)scheme << 16;

    for (const char *c = identity->host; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return &places->buckets[hash % (sizeof(places->buckets) / sizeof(places->buckets[0]))];
}

static void unlink_use(struct places *places, struct place *place)
{
    *(place->newer ? &place->newer->older : &places->newest) = place->older;
    *(place->older ? &place->older->newer : &places->oldest) = place->newer;
}

static void link_newest(struct places *places, struct place *place)
{
    place->newer = NULL;
    place->older = places->newest;
    *(place->older ? &place->older->newer : &places->oldest) = place;
    places->newest = place;
}

static void drop(struct places *places, struct place *place)
{
    struct place **at = bucket_of(places, place->scheme, &place->identity);

    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    unlink_use(places, place);
    places->n--;
    SSL_SESSION_free(place->session);
    free(place);
}

static void make_room(struct places *places)
{
    struct place *place = places->oldest;

    while (place && places->n >= PLACES_MAX) {
        struct place *newer = place->newer;

        if (place->n_origins == 0)
            drop(places, place);
        place = newer;
    }
}

struct place *places_get(struct places *places, enum scheme scheme, const struct identity *identity)
{
    struct place **bucket = bucket_of(places, scheme, identity);
    struct place *place = *bucket;

    while (place && (place->scheme != scheme || place->identity.port != identity->port ||
                     !host_equal(&place->identity, identity)))
        place = place->next;
    if (place) {
        unlink_use(places, place);
        link_newest(places, place);
        return place;
    }
    make_room(places);
    place = calloc(1, sizeof(*place));
    if (!place)
        return NULL;
    place->scheme = scheme;
    place->identity = *identity;
    place->next = *bucket;
    *bucket = place;
    link_newest(places, place);
    places->n++;
    return place;
}
