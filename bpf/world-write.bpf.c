/* SPDX-License-Identifier: GPL-2.0-only */

/* world-write: a sandbox does not write what it could write only because everybody can.
 *
 * The kernel has already said yes when it asks; what is left to find out is whether it said so for
 * the other-write bit alone. Almost nothing has that bit, so almost everything ends at the first
 * comparison. An access control list that names the sandbox does not help it with a file that
 * everybody may write: as long as the bit is there, it decides. Without the bit, nothing is decided
 * here and the list grants as ever. */

#include "bpf/groups.h"
#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* What is a file there is an interface of the kernel, which has its own idea of who may do what by
 * it; and most are open to everybody, as /proc/PID/attr/current. */
#define SECURITYFS_MAGIC 0x73636673
#define SELINUX_MAGIC 0xf97cff8c

static __always_inline bool is_kernel_interface(const struct super_block *sb)
{
    unsigned long magic = sb->s_magic;

    return magic == PROC_SUPER_MAGIC || magic == SECURITYFS_MAGIC || magic == SELINUX_MAGIC;
}

static __always_inline int world_write(struct inode *inode, int mask, int ret)
{
    if (ret)
        return ret;
    if (!(mask & MAY_WRITE))
        return 0;
    __u32 mode = inode->i_mode, type = mode & S_IFMT;
    if (!(mode & S_IWOTH) || !(type == S_IFREG || (type == S_IFDIR && !(mode & S_ISVTX))))
        return 0;

    void *trie;
    __u32 sandbox = current_sandbox(&trie);
    if (!sandbox)
        return 0;

    const struct cred *cred = bpf_get_current_task_btf()->cred;
    __u32 owner = inode->i_uid.val;
    struct super_block *sb = inode->i_sb;

    /* Who owns a file is judged by the owner's bits and who is in its group by the group's: for
     * neither does the other-write bit count. */
    if (cred->fsuid.val == owner || policy_sandbox_of(trie, owner) == sandbox)
        return 0;
    if (is_in_group(cred, inode->i_gid.val))
        return 0;
    if (is_kernel_interface(sb))
        return 0;
    /* Mounted in a user namespace of the sandbox's: nobody else's files are there. */
    if (policy_sandbox_of(trie, sb->s_user_ns->owner.val) == sandbox)
        return 0;

    if (!(mask & MAY_ACCESS)) {
        struct denial *denial = denial_begin(sandbox, PROGRAM_WORLD_WRITE);
        if (denial) {
            denial->detail = mode;
            denial_set_inode(denial, inode);
            denial_set_alias(denial, inode);
            denial_submit(denial);
        }
    }
    return -EACCES;
}

SEC("lsm/inode_permission")
int BPF_PROG(lsm_world_write, struct inode *inode, int mask, int ret)
{
    return world_write(inode, mask, ret);
}

SEC("fmod_ret/security_inode_permission")
int BPF_PROG(fmod_world_write, struct inode *inode, int mask, int ret)
{
    return world_write(inode, mask, ret);
}
