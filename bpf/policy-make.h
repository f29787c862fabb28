/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From the configuration to what stands in the trie, as a list. Nothing is asked of the kernel: the
 * places of the files that a policy names are given. */

#include "bpf/policy.h"
#include "conf/config.h"

struct policy_entry {
    struct policy_key key;
    struct policy_value value;
};

struct policy_list {
    struct policy_entry *entries;
    size_t n;
};

struct policy_files {
    const struct policy_file *set_id; /* a sandbox may gain privilege by these */
    size_t n_set_id;
    const struct policy_file *loaders; /* who may write our maps */
    size_t n_loaders;
};

/* What is to be known of the user who is locked, beyond the configuration. */
struct policy_lock {
    uid_t uid;                         /* 0: nobody is */
    const struct config_id_range *ids; /* subordinate ones, of users and groups */
    size_t n_ids;
    const gid_t *groups; /* that are root by another name */
    size_t n_groups;
    const struct policy_file *set_id; /* of lock-allow-set-id */
    size_t n_set_id;
    pid_t reader;            /* the process that may read others; 0: none */
    uint64_t reader_started; /* in ticks */
};

/* Returns 0, -ENOMEM, -ERANGE for a range of ids that ends beyond the last one, or -ENAMETOOLONG
 * for the name of a socket that no socket can have; conf/ refuses both. */
int policy_make(const struct config *config, const struct policy_files *files,
                const struct policy_lock *lock, struct policy_list *ret);

void policy_list_done(struct policy_list *list);
