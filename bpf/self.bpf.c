/* SPDX-License-Identifier: GPL-2.0-only */

/* self: nobody changes the policy but the loader. A sandbox has no use for bpf(2) at all, whatever
 * capabilities it comes by; and who else opens one of our maps, root included, gets it for reading.
 * The trie in force needs no guard: it is frozen, and nobody can write to it any more. */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

static __always_inline void report(__u32 sandbox, __u32 detail)
{
    struct denial *denial = denial_begin(sandbox, PROGRAM_SELF);

    if (!denial)
        return;
    denial->detail = detail;
    denial_submit(denial);
}

/* security_bpf() has one argument more since Linux 6.15, so that what comes behind the arguments,
 * the decision so far, has no fixed place. */
static __always_inline bool is_refused(void *context)
{
    __u64 ret;

    return bpf_get_func_ret(context, &ret) < 0 || (int)ret != 0;
}

static __always_inline int self_bpf(unsigned long long *context)
{
    if (is_refused(context))
        return -EPERM;
    void *trie;
    __u32 sandbox = current_sandbox(&trie);
    if (!sandbox)
        return 0;
    report(sandbox, (__u32)context[0]);
    return -EPERM;
}

static __always_inline bool is_ours(const struct bpf_map *map)
{
    __u32 id = map->id;

    return id == ((struct bpf_map *)&policy)->id || id == ((struct bpf_map *)&denials)->id ||
           id == ((struct bpf_map *)&denial_rates)->id;
}

static __always_inline int self_map(struct bpf_map *map, unsigned int mode, int ret)
{
    if (ret)
        return ret;
    if (!(mode & FMODE_WRITE) || !is_ours(map))
        return 0;
    void *trie = policy_in_force();
    if (!trie)
        return 0;
    struct mm_struct *mm = bpf_get_current_task_btf()->mm;
    struct file *program = mm ? mm->exe_file : NULL;
    if (program && policy_has_file(trie, POLICY_LOADER, 0, program->f_path.dentry))
        return 0;
    report(policy_sandbox_of(trie, current_uid()), DENIAL_OPEN_MAP);
    return -EPERM;
}

SEC("lsm/bpf")
int lsm_self_bpf(unsigned long long *context)
{
    return self_bpf(context);
}

SEC("fmod_ret/security_bpf")
int fmod_self_bpf(unsigned long long *context)
{
    return self_bpf(context);
}

SEC("lsm/bpf_map")
int BPF_PROG(lsm_self_map, struct bpf_map *map, unsigned int mode, int ret)
{
    return self_map(map, mode, ret);
}

SEC("fmod_ret/security_bpf_map")
int BPF_PROG(fmod_self_map, struct bpf_map *map, unsigned int mode, int ret)
{
    return self_map(map, mode, ret);
}
