/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Each denial is told of once, one by one or as a part of a count. A count is told by the next
 * record of the same sandbox; when none comes, by an entry of its own. This is which sandboxes may
 * have a count to tell.
 *
 * Telling takes a sandbox out of the map `denial_rates` and reads its count in one step, so that
 * no other process, nor this one when it is started anew, tells it again. */

#include "bpf/denial.h"

#include <stdbool.h>
#include <stddef.h>

struct denials_rates {
    __u32 *sandboxes; /* in no order */
    size_t n;
};

/* A sandbox may have something to tell: to be looked at when its window is over. 0 or -ENOMEM. */
int denials_rates_add(struct denials_rates *rates, __u32 sandbox);

/* How far the map has come with a sandbox. */
enum denials_look {
    LOOK_AGAIN,   /* its window is not over, more may be counted */
    LOOK_NOTHING, /* its next denial will be a record, and nothing is left to tell before */
    LOOK_TELL,    /* it has a count, and no record came */
};

/* What the map said of it; NULL: it is not in there. now_nsec: CLOCK_BOOTTIME. */
enum denials_look denials_rates_judge(const struct denial_rate *seen, __u64 now_nsec);

/* Looks at every sandbox, by a function that says whether to look at it again, and keeps those.
 * Returns 0, or the first negative errno that look() returned; the rest is then kept. */
int denials_rates_look(struct denials_rates *rates, int (*look)(__u32 sandbox, void *userdata),
                       void *userdata);

void denials_rates_done(struct denials_rates *rates);
