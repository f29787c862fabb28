/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denials-rates.h"

#include <errno.h>
#include <stdlib.h>

static struct denials_rate *find(struct denials_rates *rates, __u32 sandbox)
{
    for (size_t i = 0; i < rates->n; i++)
        if (rates->list[i].sandbox == sandbox)
            return &rates->list[i];

    struct denials_rate *list = reallocarray(rates->list, rates->n + 1, sizeof(*list));
    if (!list)
        return NULL;
    rates->list = list;
    list[rates->n] = (struct denials_rate){ .sandbox = sandbox };
    return &list[rates->n++];
}

int denials_rates_watch(struct denials_rates *rates, __u32 sandbox)
{
    struct denials_rate *rate = find(rates, sandbox);

    if (!rate)
        return -ENOMEM;
    rate->waiting = true;
    return 0;
}

long denials_rates_record(struct denials_rates *rates, const struct denial *denial)
{
    struct denials_rate *rate = find(rates, denial->sandbox);

    if (!rate)
        return -ENOMEM;
    rate->recorded = true;
    rate->waiting = true;
    long untold = denial->dropped > rate->told ? denial->dropped - rate->told : 0;
    rate->told = 0;
    return untold;
}

void denials_rates_begin(struct denials_rates *rates)
{
    for (size_t i = 0; i < rates->n; i++)
        rates->list[i].recorded = false;
}

__u32 denials_rates_rest(struct denials_rate *rate, const struct denial_rate *seen, __u64 now_nsec)
{
    if (!seen) {
        rate->told = 0;
        rate->waiting = false;
        return 0;
    }
    /* In its window a sandbox may yet be counted; after it, its next denial is a record. */
    if (rate->recorded || now_nsec < seen->window_nsec + DENIAL_WINDOW_NSEC)
        return 0;
    rate->waiting = false;
    if (seen->dropped <= rate->told)
        return 0;
    __u32 rest = seen->dropped - rate->told;
    rate->told = seen->dropped;
    return rest;
}

void denials_rates_done(struct denials_rates *rates)
{
    free(rates->list);
    *rates = (struct denials_rates){ 0 };
}
