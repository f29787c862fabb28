/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/check.h"

void ranges_done(struct ranges *ranges)
{
    free(ranges->list);
}

int ranges_add(struct ranges *ranges, const struct range *range)
{
    if (ranges->n == ranges->size) {
        const size_t size = ranges->size ? ranges->size * 2 : 64;
        struct range *list = reallocarray(ranges->list, size, sizeof *list);
        if (!list)
            return -ENOMEM;
        ranges->list = list;
        ranges->size = size;
    }
    ranges->list[ranges->n++] = *range;
    return 0;
}

int ranges_add_config(struct ranges *ranges, const struct config *config)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];
        const struct config_id_range *subids = &sandbox->subids;

        if (sandbox->uid != 0)
            r = ranges_add(ranges, &(struct range){
                                       .first = sandbox->uid,
                                       .last = sandbox->uid,
                                       .sandbox = sandbox,
                                   });
        if (r == 0 && subids->count > 0)
            r = ranges_add(ranges, &(struct range){
                                       .first = subids->start,
                                       .last = subids->start + subids->count - 1,
                                       .sandbox = sandbox,
                                       .subordinate = true,
                                   });
    }
    return r;
}

/* The host's before a sandbox's, sandboxes by name, so that the later one is told to change. */
static int compare(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    if (x->sandbox != y->sandbox)
        return x->sandbox < y->sandbox ? -1 : 1;
    return x->sandbox ? 0 : strcmp(x->source, y->source);
}

static void report(const struct config *config, struct range *range, const struct range *other,
                   struct problems *problems)
{
    const struct config_sandbox *sandbox = range->sandbox;
    const void *field = range->subordinate ? (const void *)&sandbox->subids : &sandbox->uid;
    char ids[32];

    if (range->reported)
        return;
    range->reported = true;
    if (other->first == other->last)
        (void)snprintf(ids, sizeof ids, "%u", other->first);
    else
        (void)snprintf(ids, sizeof ids, "%u to %u", other->first, other->last);
    if (other->sandbox)
        problem_at(config, sandbox, field, 0, problems,
                   "sandbox \"%s\" has ids of sandbox \"%s\" (%s %s); choose others", sandbox->name,
                   other->sandbox->name, other->subordinate ? "subids" : "uid", ids);
    else
        problem_at(config, sandbox, field, 0, problems,
                   "sandbox \"%s\" has ids of \"%s\" (%s in %s); choose others", sandbox->name,
                   other->owner, ids, other->source);
}

void ranges_check(struct ranges *ranges, const struct config *config, struct problems *problems)
{
    /* Of those that begin earlier, the ones that reach furthest. */
    struct range *sandbox = NULL, *host = NULL;

    if (ranges->n == 0)
        return;
    qsort(ranges->list, ranges->n, sizeof *ranges->list, compare);
    for (size_t i = 0; i < ranges->n; i++) {
        struct range *range = &ranges->list[i];

        if (range->sandbox) {
            if (sandbox && range->first <= sandbox->last)
                report(config, range, sandbox, problems);
            if (host && range->first <= host->last)
                report(config, range, host, problems);
            if (!sandbox || range->last > sandbox->last)
                sandbox = range;
        } else {
            if (sandbox && range->first <= sandbox->last)
                report(config, sandbox, range, problems);
            if (!host || range->last > host->last)
                host = range;
        }
    }
}
