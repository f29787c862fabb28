/* SPDX-License-Identifier: GPL-2.0-only */

/* Asks the kernel how it preempts itself, which it tells nowhere but in debugfs. Run once, by the
 * loader. */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/preempt.h"

char LICENSE[] SEC("license") = "GPL";

SEC("syscall")
int preempt_ask(void *context)
{
    static const char name[] = "preempt_dynamic_mode";
    __u64 address = 0;
    int mode = PREEMPT_UNKNOWN;

    if (bpf_kallsyms_lookup_name(name, sizeof(name), 0, &address) < 0 ||
        bpf_probe_read_kernel(&mode, sizeof(mode), (const void *)address) < 0)
        return PREEMPT_UNKNOWN;
    return mode;
}
