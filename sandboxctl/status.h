/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How things stand, gathered once and then shown as a table or as JSON. Everything is found out
 * as far as the caller may; what could not be is "unknown" and never an error. */

#include "conf/config.h"
#include "conf/snapshot.h"
#include "firewall/counters.h"
#include "sandboxctl/layers.h"
#include "sandboxctl/proxies.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define STATUS_UNKNOWN UINT64_MAX

struct status_layer {
    const struct layer *layer;
    char *state; /* of its unit, "active" or "failed (exit-code)"; of its file without systemd */
    bool known;  /* up says so */
    bool up;
    char **messages; /* what its unit said before it failed; vector, NULL: nothing, or not for us */
};

struct status_usage {
    uint64_t sessions;
    uint64_t tasks;
    uint64_t memory; /* bytes */
};

/* Packets since the firewall's table was loaded. */
struct status_packets {
    uint64_t count[N_COUNTERS];
};

struct status_problem {
    char *file;
    unsigned line; /* 0: the file as a whole */
    char *message;
};

/* What /etc says, against what is in force. */
enum status_etc {
    STATUS_ETC_SAME,
    STATUS_ETC_EDITED,
    STATUS_ETC_BROKEN, /* with problems */
    STATUS_ETC_UNKNOWN,
};

struct status {
    bool booted;                 /* systemd runs */
    struct status_layer *layers; /* those that are on */
    size_t n_layers;
    bool up; /* every layer that is known and not aside, and every proxy, and ready names what is in
                force */

    struct config *in_force; /* NULL: nothing, or in_force_error says why it cannot be read */
    int in_force_error;
    char digest[SNAPSHOT_DIGEST_SIZE];
    uint64_t since_usec;            /* realtime */
    int ready_error;                /* what snapshot_ready() said */
    struct status_usage *usages;    /* one a sandbox, in their order */
    struct status_packets *packets; /* likewise; NULL: they cannot be told */
    struct proxy_state *proxies;    /* likewise */

    enum status_etc etc;
    struct status_problem *problems;
    size_t n_problems;

    char **still_running; /* of stop-services; vector, NULL: none */
};

/* Returns 0 or -ENOMEM. */
int status_gather(const char *root, struct status *ret);
void status_done(struct status *status);

/* Return 0 or a negative errno. */
int status_print(const struct status *status, FILE *out);
int status_print_json(const struct status *status, FILE *out);
