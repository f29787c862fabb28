/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the host says of the user who is locked, as the policy needs it. */

#include "bpf/policy-make.h"

struct lock_facts {
    struct policy_lock lock;
    gid_t gid; /* the user's own */
    char *name;
    struct config_id_range *ids;
    gid_t *groups;
    struct policy_file *set_id;
};

/* Reads LOCK_USER_FILE, /etc/subuid, /etc/subgid and /etc/group, and looks for the process that may
 * read others, which is none unless there is exactly one. The caller releases *ret. 0, also when
 * nobody is locked, or a negative errno with *what naming what failed. */
int lock_facts_read(const struct config *config, struct lock_facts *ret, const char **what);
void lock_facts_done(struct lock_facts *facts);
