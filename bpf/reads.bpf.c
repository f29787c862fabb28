/* SPDX-License-Identifier: GPL-2.0-only */

/* reads: a sandbox does not look into processes that are not its own: ptrace(2),
 * process_vm_readv(2) and what of /proc/PID is as telling. The kernel refuses most of that by
 * itself; this holds where a process of a sandbox has, or is given, a capability that would let it.
 *
 * And who is locked does not look into its own, but for one process: there the kernel would refuse
 * nothing, as all of them are the same user's. */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

static __always_inline void report(__u32 who, const struct task_struct *child, unsigned int mode)
{
    struct denial *denial;

    if (mode & PTRACE_MODE_NOAUDIT)
        return;
    denial = denial_begin(who, PROGRAM_READS);
    if (!denial)
        return;
    denial->detail = mode;
    denial->object_uid = child->real_cred->uid.val;
    denial->object_pid = child->tgid;
    denial_set_object(denial, OBJECT_PROCESS, child->comm);
    denial_submit(denial);
}

static __always_inline bool is_reader(void *trie, const struct task_struct *task)
{
    struct policy_key key;

    policy_key_begin(&key, POLICY_READER, (__u32)task->tgid);
    key.started = task->group_leader->start_boottime / POLICY_TICK_NSEC;
    return bpf_map_lookup_elem(trie, &key) != NULL;
}

/* Joining a container, as rootless ones do with each command, begins with reading which namespaces
 * it has. That is asked as reading its environment is; its memory is asked for otherwise. */
static __always_inline bool joins_container(const struct task_struct *child, unsigned int mode)
{
    return !(mode & PTRACE_MODE_ATTACH) && child->real_cred->user_ns->level > 0;
}

static __always_inline int reads(struct task_struct *child, unsigned int mode, int ret)
{
    if (ret)
        return ret;
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who)
        return 0;
    if (who->sandbox) {
        if (policy_sandbox_of(trie, child->real_cred->uid.val) == who->sandbox)
            return 0;
    } else if (!who->deny_reads || joins_container(child, mode) ||
               is_reader(trie, bpf_get_current_task_btf()))
        return 0;
    report(who->sandbox ?: who->locked, child, mode);
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

/* PTRACE_TRACEME: a process has its parent trace it, and not the one that executes it. */
static __always_inline int traceme(struct task_struct *parent, int ret)
{
    if (ret)
        return ret;
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who || !who->deny_reads || is_reader(trie, parent))
        return 0;
    report(who->locked, bpf_get_current_task_btf(), PTRACE_MODE_ATTACH);
    return -EPERM;
}

SEC("lsm/ptrace_traceme")
int BPF_PROG(lsm_reads_traceme, struct task_struct *parent, int ret)
{
    return traceme(parent, ret);
}

SEC("fmod_ret/security_ptrace_traceme")
int BPF_PROG(fmod_reads_traceme, struct task_struct *parent, int ret)
{
    return traceme(parent, ret);
}
