/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Reporting a denial: begin, fill in, submit. denial_begin() returns NULL when the sandbox has used
 * up what it may have reported or the ring buffer is full; then there is nothing to fill in. What
 * it returns must be handed to denial_submit(). */

#include "bpf/kernel.h"
#include "bpf/maps.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

static __always_inline struct denial_rate *denial_rate_of(__u32 sandbox)
{
    static const struct denial_rate fresh;
    struct denial_rate *rate = bpf_map_lookup_elem(&denial_rates, &sandbox);

    if (rate)
        return rate;
    bpf_map_update_elem(&denial_rates, &sandbox, &fresh, BPF_NOEXIST);
    return bpf_map_lookup_elem(&denial_rates, &sandbox);
}

/* Two processors may begin a window at the same time; then a few more are reported than should be,
 * and none is lost from the count. */
static __always_inline bool denial_may_report(struct denial_rate *rate, __u64 now)
{
    if (now - rate->window_nsec >= DENIAL_WINDOW_NSEC) {
        rate->window_nsec = now;
        rate->reported = 0;
    }
    if (rate->reported >= DENIAL_BURST)
        return false;
    __sync_fetch_and_add(&rate->reported, 1);
    return true;
}

static __always_inline struct denial *denial_begin(__u32 sandbox, __u8 program)
{
    __u64 now = bpf_ktime_get_boot_ns();
    struct denial_rate *rate = denial_rate_of(sandbox);
    struct denial *denial = NULL;

    if (program < N_PROGRAMS)
        __sync_fetch_and_add(&denied[program], 1);
    if (!rate)
        return NULL;
    if (denial_may_report(rate, now))
        denial = bpf_ringbuf_reserve(&denials, sizeof(*denial), 0);
    if (!denial) {
        __sync_fetch_and_add(&rate->dropped, 1);
        return NULL;
    }
    __builtin_memset(denial, 0, sizeof(*denial));
    denial->nsec = now;
    denial->sandbox = sandbox;
    denial->program = program;
    denial->uid = (__u32)bpf_get_current_uid_gid();
    denial->pid = bpf_get_current_pid_tgid() >> 32;
    denial->dropped = __sync_lock_test_and_set(&rate->dropped, 0);
    bpf_get_current_comm(denial->comm, sizeof(denial->comm));
    return denial;
}

static __always_inline void denial_submit(struct denial *denial)
{
    bpf_ringbuf_submit(denial, 0);
}

/* The object is called by a string in kernel memory. */
static __always_inline void denial_set_object(struct denial *denial, __u8 kind, const void *name)
{
    long size = bpf_probe_read_kernel_str(denial->object, sizeof(denial->object), name);

    if (size <= 1)
        return;
    denial->object_kind = kind;
    denial->object_length = size - 1;
}

static __always_inline void denial_set_inode(struct denial *denial, struct inode *inode)
{
    denial->inode = inode->i_ino;
    denial->device = inode->i_sb->s_dev;
    denial->object_uid = inode->i_uid.val;
}

/* As many names as bpf_snprintf() takes arguments, less one. */
#define DENIAL_NAMES 11

/* bpf_snprintf() wants a format that is constant, and a constant number of arguments. */
#define DENIAL_PRINT(denial, format, names, n)                                                     \
    ({                                                                                             \
        static const char _format[] = format;                                                      \
        bpf_snprintf((denial)->object, sizeof((denial)->object), _format,                          \
                     &(names)[DENIAL_NAMES - (n)], (n) * sizeof((names)[0]));                      \
    })

/* The object is called by the path from the root of its file system. Beyond so many names the first
 * ones are left out, and so is the '/' in front. A rename at the same time may lead to a path that
 * never was, which is all that can be had without a lock. */
static __always_inline void denial_set_dentry(struct denial *denial, const struct dentry *dentry)
{
    __u64 names[DENIAL_NAMES];
    int n = 0;
    long size;

    for (int i = DENIAL_NAMES - 1; i >= 0; i--) {
        const struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

        if (!parent || parent == dentry)
            break;
        names[i] = (__u64)BPF_CORE_READ(dentry, d_name.name);
        dentry = parent;
        n++;
    }

    switch (n) {
    case 0:
        denial->object[0] = '/';
        size = 2;
        break;
    case 1:
        size = DENIAL_PRINT(denial, "/%s", names, 1);
        break;
    case 2:
        size = DENIAL_PRINT(denial, "/%s/%s", names, 2);
        break;
    case 3:
        size = DENIAL_PRINT(denial, "/%s/%s/%s", names, 3);
        break;
    case 4:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s", names, 4);
        break;
    case 5:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s", names, 5);
        break;
    case 6:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s/%s", names, 6);
        break;
    case 7:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s/%s/%s", names, 7);
        break;
    case 8:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s/%s/%s/%s", names, 8);
        break;
    case 9:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s/%s/%s/%s/%s", names, 9);
        break;
    case 10:
        size = DENIAL_PRINT(denial, "/%s/%s/%s/%s/%s/%s/%s/%s/%s/%s", names, 10);
        break;
    default:
        size = DENIAL_PRINT(denial, "%s/%s/%s/%s/%s/%s/%s/%s/%s/%s/%s", names, DENIAL_NAMES);
        break;
    }
    if (size <= 1)
        return;
    denial->object_kind = OBJECT_IN_DEVICE;
    denial->object_length = size > DENIAL_OBJECT_SIZE ? DENIAL_OBJECT_SIZE - 1 : size - 1;
}

/* Likewise, by one of the names of an inode. */
static __always_inline void denial_set_alias(struct denial *denial, const struct inode *inode)
{
    const char *alias = (const char *)inode->i_dentry.first;

    if (!alias)
        return;
    if (bpf_core_field_exists(struct dentry, d_alias))
        alias -= bpf_core_field_offset(struct dentry, d_alias);
    else if (bpf_core_field_exists(struct dentry___named_union, d_u.d_alias))
        alias -= bpf_core_field_offset(struct dentry___named_union, d_u.d_alias);
    else
        return;
    denial_set_dentry(denial, (const struct dentry *)alias);
}
