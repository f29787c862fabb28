/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The groups of a host by name, from its /etc/group alone: PID 1 may be waiting for what runs this,
 * so NSS cannot be asked. */

#include "conf/cleanup.h"
#include "nss/users-report.h"

struct group_id {
    char *name;
    gid_t gid;
};

struct groups {
    struct group_id *items; /* sorted by name */
    size_t n;
};

/* Returns 0 and a table that groups_done() frees, or a negative errno, reported. */
int groups_read(struct groups *groups, int root, const struct report *report);
void groups_done(struct groups *groups);

#define _cleanup_groups_ _cleanup_(groups_done)

/* NULL: there is no such group. */
const struct group_id *groups_find(const struct groups *groups, const char *name);
