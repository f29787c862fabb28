/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a sandbox tries in its rootless containers: from root of the container and from a user whose
 * id is a subordinate one, on the network of the session and on one of the container's own. All of
 * it is tried at once, as a container takes its time; the probes then find how it went. */

#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/network.h"

#include <limits.h>

enum container_row {
    CONTAINER_READ, /* not a probe: what must work */
    CONTAINER_TCP,
    CONTAINER_DIRECT,
    CONTAINER_UDP,
    CONTAINER_IPV6,
    CONTAINER_DNS,
    CONTAINER_METADATA4,
    CONTAINER_METADATA6,
    CONTAINER_WIRESERVER,
    CONTAINER_SOCKET,
    CONTAINER_ABSTRACT,
    CONTAINER_VIEW,
    CONTAINER_WORLD_WRITE,
    CONTAINER_ROWS,
};

/* Of all attempts of a row the one that did worst; of those that must work, likewise. */
struct container_result {
    bool tried;
    enum attempt_result result;
    char text[512];
};

struct containers {
    const char *missing; /* why there are none; NULL: there are */
    struct container_result build;
    struct container_result rows[CONTAINER_ROWS];
};

/* Builds an image in the sandbox's home, runs it, and removes it again. Returns 0, -EINTR when a
 * signal came, or another negative errno. */
int containers_try(struct containers *containers, struct probe_run *base, int signal_fd);

/* The sockets of root's that are connected to, which the check has meanwhile. */
void container_socket_word(const struct probe_run *run, bool abstract, char *word, size_t size,
                           size_t type);

/* What a row of the network is tried on, in texts in part; of others there is none. Returns how
 * many. own_network: as it is seen from a network of the container's own. */
size_t container_targets(const struct probe_run *run, enum container_row row, bool own_network,
                         struct target targets[static TARGETS_MAX],
                         char texts[static TARGETS_MAX][INET6_ADDRSTRLEN]);
