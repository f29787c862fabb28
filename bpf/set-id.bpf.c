/* SPDX-License-Identifier: GPL-2.0-only */

/* set-id: a sandbox, and who is locked, does not gain privilege by executing a file, but for the
 * programs that the policy names.
 *
 * The question is not which bits the file has, but what the process would be: that answers for
 * scripts, interpreters, binfmt_misc, descriptors, mounts with nosuid and no_new_privs as well, all
 * of which the kernel has already looked at when it asks. Ids that are the sandbox's own, as a
 * set-id file of a container has, are no gain; nor are capabilities inside a user namespace. */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define SIGKILL 9

/* What the process would be differs from what it is in an id that is not its own. */
static __always_inline bool gains_id(void *trie, const struct policy_value *who, __u32 before,
                                     __u32 after)
{
    if (after == before)
        return false;
    const struct policy_value *owner = policy_value_of(trie, after);
    return !owner || owner->sandbox != who->sandbox || owner->locked != who->locked;
}

static __always_inline bool gains_capability(const struct cred *before, const struct cred *after)
{
    __u64 had = 0, has = ~0ULL;

    if (after->user_ns->level > 0)
        return false;
    /* Read as so many bytes: what is in there changed its type in Linux 6.3, and not its size. */
    bpf_core_read(&had, sizeof(had), &before->cap_permitted);
    bpf_core_read(&has, sizeof(has), &after->cap_permitted);
    return (has & ~had) != 0;
}

static __always_inline void report(__u32 sandbox, struct linux_binprm *bprm, struct file *file)
{
    struct denial *denial = denial_begin(sandbox, PROGRAM_SET_ID);

    if (!denial)
        return;
    denial->detail = bprm->cred->euid.val;
    denial_set_inode(denial, file->f_path.dentry->d_inode);
    denial_set_object(denial, OBJECT_PATH, bprm->filename);
    denial_submit(denial);
}

/* The file that the ids and capabilities come from is not always bprm->file: binfmt_misc(5), 'C'.
 */
static __always_inline bool is_denied(struct linux_binprm *bprm, struct file *file, bool ids,
                                      bool capabilities)
{
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who)
        return false;

    const struct cred *before = bpf_get_current_task_btf()->cred, *after = bprm->cred;
    bool gains = false;
    if (ids)
        gains = gains_id(trie, who, before->euid.val, after->euid.val) ||
                gains_id(trie, who, before->egid.val, after->egid.val);
    if (capabilities)
        gains = gains || gains_capability(before, after);
    if (!gains || policy_has_file(trie, POLICY_SET_ID, 0, file->f_path.dentry))
        return false;
    if (who->locked && policy_has_file(trie, POLICY_SET_ID, who->locked, file->f_path.dentry))
        return false;
    report(who->sandbox ?: who->locked, bprm, file);
    return true;
}

SEC("lsm/bprm_creds_from_file")
int BPF_PROG(lsm_set_id, struct linux_binprm *bprm, struct file *file, int ret)
{
    if (ret)
        return ret;
    return is_denied(bprm, file, true, true) ? -EPERM : 0;
}

/* This runs before the kernel's own hook, which is what reads the capabilities of a file. */
SEC("fmod_ret/security_bprm_creds_from_file")
int BPF_PROG(fmod_set_id, struct linux_binprm *bprm, struct file *file, int ret)
{
    if (ret)
        return ret;
    return is_denied(bprm, file, true, false) ? -EPERM : 0;
}

/* And this after it, when no error can be returned any more: the process is killed instead, before
 * it comes to the first instruction of the program. */
SEC("fexit/security_bprm_creds_from_file")
int BPF_PROG(fmod_set_id_capabilities, struct linux_binprm *bprm, struct file *file, int ret)
{
    if (ret == 0 && is_denied(bprm, file, false, true))
        bpf_send_signal(SIGKILL);
    return 0;
}
