/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The maps that all programs share; each object file declares them, and linking makes them one.
 * The loader keeps them from one load to the next if type, sizes and name are the same: who changes
 * a layout without changing its size has to change the map's name. */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/denial.h"
#include "bpf/policy.h"

/* Element 0 is the trie in force. The loader makes a new one for each policy, as large as it has
 * to be, and freezes it before it comes in here. */
struct policy_trie {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(struct policy_key));
    __uint(value_size, sizeof(struct policy_value));
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 1);
    __type(key, __u32);
    __array(values, struct policy_trie);
} policy __weak SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 256 * 1024);
} denials __weak SEC(".maps");

/* How often each program has denied since it was loaded. */
__u64 denied[N_PROGRAMS] __weak;

/* By sandbox. What finds no room is not reported. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 65536);
    __type(key, __u32);
    __type(value, struct denial_rate);
} denial_rates __weak SEC(".maps");
