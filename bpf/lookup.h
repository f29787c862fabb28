/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* What the programs ask the policy. A program takes it once, with current_sandbox() or
 * policy_in_force(), and hands it on, so that all its questions are answered by the same policy. */

#include "bpf/kernel.h"
#include "bpf/maps.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* Below are the system's users, who are no sandbox's (conf/ refuses such ids). */
#define POLICY_FIRST_ID 1000

static __always_inline void *policy_in_force(void)
{
    __u32 first = 0;

    return bpf_map_lookup_elem(&policy, &first);
}

/* The trie compares every byte, so that those that are not used must be 0, holes included. */
static __always_inline void policy_key_begin(struct policy_key *key, __u32 kind, __u32 id)
{
    __builtin_memset(key, 0, sizeof(*key));
    key->prefix = POLICY_KEY_BITS;
    key->kind = kind;
    key->id = bpf_htonl(id);
}

/* The sandbox that a user or group id belongs to, 0 for none. */
static __always_inline __u32 policy_sandbox_of(void *trie, __u32 id)
{
    struct policy_key key;

    if (id < POLICY_FIRST_ID)
        return 0;
    policy_key_begin(&key, POLICY_ID, id);
    const struct policy_value *value = bpf_map_lookup_elem(trie, &key);
    return value ? value->sandbox : 0;
}

/* The real uid, in the ids of the initial user namespace: a set-id program does not change it, and
 * a user namespace changes its name alone. */
static __always_inline __u32 current_uid(void)
{
    return (__u32)bpf_get_current_uid_gid();
}

/* The sandbox that the current process belongs to, 0 for none, which most end at without a look-up;
 * and the policy that says so, for what else is to be asked. */
static __always_inline __u32 current_sandbox(void **trie)
{
    __u32 uid = current_uid();

    if (uid < POLICY_FIRST_ID)
        return 0;
    *trie = policy_in_force();
    return *trie ? policy_sandbox_of(*trie, uid) : 0;
}

/* What the policy says of an id: NULL for one of no sandbox's and nobody's who is locked. A locked
 * user may be one of the system's, so that root alone is spared the look-up. */
static __always_inline const struct policy_value *policy_value_of(void *trie, __u32 id)
{
    struct policy_key key;

    if (id == 0)
        return NULL;
    policy_key_begin(&key, POLICY_ID, id);
    return bpf_map_lookup_elem(trie, &key);
}

/* Likewise of the current process, and the policy that says so. */
static __always_inline const struct policy_value *current_value(void **trie)
{
    __u32 uid = current_uid();

    if (uid == 0)
        return NULL;
    *trie = policy_in_force();
    return *trie ? policy_value_of(*trie, uid) : NULL;
}

/* Whether a file is one of those that the policy names: by where its dentry says that it stands,
 * which no mount changes and nobody can choose who may not write that directory. */
static __always_inline bool policy_has_file(void *trie, __u32 kind, __u32 id, struct dentry *dentry)
{
    struct policy_key key;

    if (dentry->d_name.len >= POLICY_NAME_SIZE)
        return false;
    policy_key_begin(&key, kind, id);
    key.file.device = dentry->d_sb->s_dev;
    key.file.directory = dentry->d_parent->d_inode->i_ino;
    if (bpf_probe_read_kernel_str(key.file.name, sizeof(key.file.name), dentry->d_name.name) <= 0)
        return false;
    return bpf_map_lookup_elem(trie, &key) != NULL;
}
