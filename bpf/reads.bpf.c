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
    denial->object_uid = BPF_CORE_READ(child, real_cred, uid.val);
    denial->object_pid = BPF_CORE_READ(child, tgid);
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

static __always_inline bool is_in_container(const struct task_struct *task)
{
    return BPF_CORE_READ(task, real_cred, user_ns, level) > 0;
}

/* Joining a container, as rootless ones do with each command, begins with reading which namespaces
 * it has. That is asked as reading its environment is, which lsm/file_open refuses; its memory is
 * asked for otherwise. */
static __always_inline bool joins_container(const struct task_struct *child, unsigned int mode)
{
    return !(mode & PTRACE_MODE_ATTACH) && is_in_container(child);
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

/* The task whose /proc/PID, or /proc/PID/task/TID, has the inode; NULL for none, or if it is gone.
 */
static __always_inline const struct task_struct *task_of(const struct inode *inode)
{
    const char *outer = (const char *)inode - bpf_core_field_offset(struct proc_inode, vfs_inode);
    const struct pid *pid = BPF_CORE_READ((const struct proc_inode *)outer, pid);
    const char *link = pid ? (const char *)BPF_CORE_READ(pid, tasks[0].first) : NULL;

    if (!link)
        return NULL;
    return (const void *)(link - bpf_core_field_offset(struct task_struct, pid_links));
}

static __always_inline bool is_environment(const struct file *file)
{
    static const char environ[] = "environ";
    char name[sizeof(environ)] = {};

    if (file->f_inode->i_sb->s_magic != PROC_SUPER_MAGIC ||
        file->f_path.dentry->d_name.len != sizeof(environ) - 1)
        return false;
    return bpf_probe_read_kernel_str(name, sizeof(name), file->f_path.dentry->d_name.name) > 0 &&
           __builtin_memcmp(name, environ, sizeof(environ)) == 0;
}

/* Opening /proc/PID/environ of a process in a container, which may be joined. */
static __always_inline int environment(const struct file *file, int ret)
{
    if (ret)
        return ret;
    if (!is_environment(file))
        return 0;
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who || !who->deny_reads)
        return 0;

    const struct task_struct *current = bpf_get_current_task_btf(), *task = task_of(file->f_inode);
    if (!task || !is_in_container(task) || BPF_CORE_READ(task, tgid) == current->tgid ||
        is_reader(trie, current))
        return 0;
    report(who->locked, task, PTRACE_MODE_READ);
    return -EACCES;
}

SEC("lsm/file_open")
int BPF_PROG(lsm_reads_environment, struct file *file, int ret)
{
    return environment(file, ret);
}

SEC("fmod_ret/security_file_open")
int BPF_PROG(fmod_reads_environment, struct file *file, int ret)
{
    return environment(file, ret);
}

/* Any signal that ends a process with a core dump, whatever was done to cause it, leaves its memory
 * and environment in a file of its user's, which the process itself makes, and always anew:
 * do_coredump() in fs/coredump.c. Where a program or a daemon is handed it, nobody asks us. */
static __always_inline int core(int ret)
{
    if (ret)
        return ret;
    const struct task_struct *current = bpf_get_current_task_btf();
    if (!(current->flags & PF_DUMPCORE))
        return 0;
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who || !who->deny_reads)
        return 0;
    report(who->locked, current, 0);
    return -EPERM;
}

SEC("lsm/inode_create")
int BPF_PROG(lsm_reads_core, struct inode *directory, struct dentry *dentry, unsigned int mode,
             int ret)
{
    return core(ret);
}

SEC("fmod_ret/security_inode_create")
int BPF_PROG(fmod_reads_core, struct inode *directory, struct dentry *dentry, unsigned int mode,
             int ret)
{
    return core(ret);
}
