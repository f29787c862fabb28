/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Somewhere to get to, and who is to be refused it. */

#include "sandboxctl/probes/place.h"

#include <netinet/in.h>

struct target {
    const char *protocol; /* tcp, udp, icmp */
    const char *source;   /* "-": any */
    const char *address;
    const char *port;
};

/* Anybody's, outside, and somebody's on a network of its own. */
#define SOMEWHERE4 "192.175.48.9"
#define SOMEWHERE6 "2620:4f:8000:ffff::9"
#define PRIVATE4 "10.255.254.253"

/* The host agent of a cloud, in its table but with a probe of its own. */
#define WIRESERVER "168.63.129.16"

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

/* The addresses of clouds' metadata of that family, as port 80 of these; texts has room for
 * TARGETS_MAX of them. Returns how many. */
size_t metadata_targets(const char *source, int family, struct target *targets,
                        char texts[][INET6_ADDRSTRLEN]);

/* Whether the sandbox may reach those; then the probe is skipped and says so. Likewise without IPv6
 * on this host. */
bool metadata_is_open(struct probe_run *run);
bool ipv6_is_missing(struct probe_run *run);
