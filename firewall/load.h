/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of what is in force, from the snapshot to nftables. Functions return 0 or a negative
 * errno, after they said on stderr what failed. */

#include "firewall/resolvers.h"
#include "firewall/ruleset.h"

struct loaded {
    struct config *config;
    struct ruleset_input input;
    struct ruleset_address resolvers[RESOLVERS_MAX];
    struct config_id_range *lock_ids; /* as input.lock_ids */
    bool *slices;                     /* as input.slices */
    unsigned long *inodes;            /* of each slice; 0: it is not there */
};

/* Reads the snapshot and what it needs of the host. loaded_free() is right after either. */
int load_read(struct loaded *loaded);
void loaded_free(struct loaded *loaded);

/* Takes the place of what is there. */
int load_table(struct loaded *loaded);

/* Tries what it must refuse. */
int load_prove(const struct loaded *loaded);

/* Takes the table away. */
int load_remove(void);

/* Looks which sandboxes have a control group now; whether that is another answer than before. */
bool load_look_for_slices(struct loaded *loaded);
/* Tells the table. */
int load_slices(struct loaded *loaded);

#define CGROUP_ROOT "/sys/fs/cgroup"
