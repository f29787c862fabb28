/* SPDX-License-Identifier: GPL-2.0-only */

/* groups: who is locked does not open what only a group opens that is root by another name. A
 * process has the groups that its user had when it began, whatever /etc/group says now: so it is
 * looked at what those open. Sockets that have a path are files, as are disks and the files of
 * passwords.
 *
 * The kernel has already said yes when it asks. It was not for the group if the permissions for
 * others grant the same, if the user owns the file, or if the process is not in the group: then an
 * access control list names the user. */

#include "bpf/groups.h"
#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define ACCESS (MAY_EXEC | MAY_WRITE | MAY_READ)

static __always_inline bool is_root_group(void *trie, __u32 gid)
{
    struct policy_key key;

    policy_key_begin(&key, POLICY_GROUP, gid);
    return bpf_map_lookup_elem(trie, &key) != NULL;
}

static __always_inline int groups(struct inode *inode, int mask, int ret)
{
    if (ret)
        return ret;
    __u32 mode = inode->i_mode, uid = current_uid();
    /* The bits of the mask are those of a mode. What the group's do not grant, a capability did. */
    if (uid == 0 || !(mask & ACCESS & ~mode) || (mask & ACCESS & ~(mode >> 3)) ||
        inode->i_uid.val == uid)
        return 0;

    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who || !who->locked || !is_root_group(trie, inode->i_gid.val))
        return 0;
    /* A container's user owns what it owns on the host, too. */
    const struct policy_value *owner = policy_value_of(trie, inode->i_uid.val);
    if (owner && owner->locked == who->locked)
        return 0;
    if (!is_in_group(bpf_get_current_task_btf()->cred, inode->i_gid.val))
        return 0;

    if (!(mask & MAY_ACCESS)) {
        struct denial *denial = denial_begin(who->locked, PROGRAM_GROUPS);
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
int BPF_PROG(lsm_groups, struct inode *inode, int mask, int ret)
{
    return groups(inode, mask, ret);
}

SEC("fmod_ret/security_inode_permission")
int BPF_PROG(fmod_groups, struct inode *inode, int mask, int ret)
{
    return groups(inode, mask, ret);
}
