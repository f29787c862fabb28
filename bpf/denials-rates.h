/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Each denial is told of once, one by one or as a part of a count. A count is told by the next
 * record of the same sandbox; when none comes, by an entry of its own. This is who has what to
 * tell.
 *
 * The map `denial_rates` is only read: the programs count in it, and the time between a look and a
 * write would be a count lost. They set a count back when a record carries it away, so what was
 * told from the map before is taken off that record's count. */

#include "bpf/denial.h"

#include <stdbool.h>
#include <stddef.h>

struct denials_rate {
    __u32 sandbox;
    __u32 told;    /* of the count that stands in the map */
    bool recorded; /* a record has come since the last look */
    bool waiting;  /* something may be left to tell */
};

struct denials_rates {
    struct denials_rate *list; /* one for each sandbox that was ever denied something */
    size_t n;
};

/* A sandbox may have something to tell: look at it when a window is over. 0 or -ENOMEM. */
int denials_rates_watch(struct denials_rates *rates, __u32 sandbox);

/* A record has come. Returns how many of those that it counts were not told yet, or -ENOMEM. */
long denials_rates_record(struct denials_rates *rates, const struct denial *denial);

/* Before the map is looked at, and before the ring buffer is emptied after that: a record that
 * comes in between carried away what was seen in the map. */
void denials_rates_begin(struct denials_rates *rates);

/* What the map said of it at that time, NULL for nothing. Returns how many to tell of now; and
 * waiting is false when nothing can be left before the next record. now_nsec: CLOCK_BOOTTIME. */
__u32 denials_rates_rest(struct denials_rate *rate, const struct denial_rate *seen, __u64 now_nsec);

void denials_rates_done(struct denials_rates *rates);
