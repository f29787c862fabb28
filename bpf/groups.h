/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The groups of a process, in the ids of the initial user namespace. */

#include "bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Steps of a binary search in NGROUPS_MAX groups. */
#define GROUP_STEPS 17

/* As the kernel's groups_search(). The pointer is read as a number, since the verifier would let a
 * typed one have constant offsets only. */
static __always_inline bool is_in_group(const struct cred *cred, __u32 gid)
{
    __u32 low = 0, high;
    __u64 list;

    if (cred->fsgid.val == gid)
        return true;
    if (bpf_core_read(&list, sizeof(list), &cred->group_info) < 0)
        return false;
    high = cred->group_info->ngroups;
    list += bpf_core_field_offset(struct group_info, gid);
    for (int i = 0; i < GROUP_STEPS && low < high; i++) {
        __u32 middle = low + (high - low) / 2;
        __u32 member;

        if (bpf_probe_read_kernel(&member, sizeof(member),
                                  (const void *)(list + (__u64)middle * sizeof(member))) < 0)
            return false;
        if (member == gid)
            return true;
        if (member < gid)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
