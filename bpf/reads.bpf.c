/* SPDX-License-Identifier: GPL-2.0-only */

/* reads: a sandbox does not look into processes that are not its own: ptrace(2),
 * process_vm_readv(2) and what of /proc/PID is as telling. The kernel refuses most of that by
 * itself; this holds where a process of a sandbox has, or is given, a capability that would let it.
 */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

static __always_inline int reads(struct task_struct *child, unsigned int mode, int ret)
{
    if (ret)
        return ret;
    void *trie;
    __u32 sandbox = current_sandbox(&trie);
    if (!sandbox)
        return 0;
    __u32 owner = child->real_cred->uid.val;
    if (policy_sandbox_of(trie, owner) == sandbox)
        return 0;

    if (!(mode & PTRACE_MODE_NOAUDIT)) {
        struct denial *denial = denial_begin(sandbox, PROGRAM_READS);
        if (denial) {
            denial->detail = mode;
            denial->object_uid = owner;
            denial->object_pid = child->tgid;
            denial_set_object(denial, OBJECT_PROCESS, child->comm);
            denial_submit(denial);
        }
    }
    return -EPERM;
}

SEC("lsm/ptrace_access_check")
int BPF_PROG(lsm_reads, struct task_struct *child, unsigned int mode, int ret)
{
    return reads(child, mode, ret);
}

SEC("fmod_ret/security_ptrace_access_check")
int BPF_PROG(fmod_reads, struct task_struct *child, unsigned int mode, int ret)
{
    return reads(child, mode, ret);
}
