/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Somewhere to get to, and who is to be refused it. */

#include "sandboxctl/probes/place.h"

struct target {
    const char *protocol; /* tcp, udp, icmp */
    const char *source;   /* "-": any */
    const char *address;
    const char *port;
};

/* No sandbox has more of them in one probe. */
#define TARGETS_MAX 24

/* As attempts take them: argv[i] has room for one more than six words. */
struct target_calls {
    const char *argv[TARGETS_MAX][6];
    struct call calls[TARGETS_MAX];
};
void target_calls_fill(struct target_calls *calls, const struct target *targets, size_t n);

/* The first that was not refused, or the last; the first that did not get through, or the last. */
const struct call *target_worst(const struct call *calls, size_t n);
const struct call *target_best(const struct call *calls, size_t n);

/* Whether there is no outside; then the probe could not be tried, and says why. */
bool outside_is_missing(struct probe_run *run);
