/* SPDX-License-Identifier: GPL-2.0-only */

/* sockets: a sandbox reaches the Unix sockets of its own, and of others those that the policy
 * names.
 *
 * A peer is known by who made the socket and by the name that was given to bind(2), which neither a
 * bind mount nor another mount namespace changes. Whoever makes a mount namespace can bind any name
 * in it, hence a name counts only on a file system of the initial user namespace, and only for a
 * peer whose user may stand for it.
 *
 * Who is locked reaches all but those that the policy names, whoever bound such a name. */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define SOCKET_NAME_OFFSET offsetof(struct sockaddr_un, sun_path)

/* Users of containers come after these; what every sandbox may reach is the system's. */
#define LAST_HOST_ID 65535

enum named { UNNAMED, ABSTRACT, PATH };

static __always_inline enum named named_by(const struct unix_address *address)
{
    char first = 0;

    if (!address || address->len <= (int)SOCKET_NAME_OFFSET)
        return UNNAMED;
    bpf_probe_read_kernel(&first, sizeof(first), &address->name[0].sun_path);
    return first ? PATH : ABSTRACT;
}

static __always_inline bool is_allowed(void *trie, __u32 sandbox, struct unix_sock *peer,
                                       __u32 owner)
{
    struct dentry *dentry = peer->path.dentry;
    struct policy_key key;

    if (owner > LAST_HOST_ID || !dentry || dentry->d_sb->s_user_ns->level > 0)
        return false;
    policy_key_begin(&key, POLICY_SOCKET, sandbox);
    /* A name of full length has its NUL behind sun_path, where the union is longer. */
    if (bpf_probe_read_kernel_str(key.path, sizeof(key.path) + 1, &peer->addr->name[0].sun_path) <=
        0)
        return false;
    if (bpf_map_lookup_elem(trie, &key))
        return true;
    key.id = 0;
    return owner < POLICY_FIRST_ID && bpf_map_lookup_elem(trie, &key);
}

/* An abstract name has a length and no end, and may have a NUL anywhere. */
static __always_inline void set_abstract(struct denial *denial, const struct unix_address *address)
{
    __u32 length = address->len - SOCKET_NAME_OFFSET - 1;

    if (length > POLICY_PATH_SIZE - 1)
        return;
    if (bpf_probe_read_kernel(denial->object, length, &address->name[0].sun_path[1]) < 0)
        return;
    for (__u32 i = 0; i < POLICY_PATH_SIZE - 1; i++)
        if (i < length && !denial->object[i])
            denial->object[i] = '@';
    denial->object_kind = OBJECT_ABSTRACT;
    denial->object_length = length;
}

static __always_inline void report(__u32 sandbox, struct sock *peer, struct unix_sock *named)
{
    struct denial *denial = denial_begin(sandbox, PROGRAM_SOCKETS);

    if (!denial)
        return;
    denial->detail = peer->sk_type;
    denial->object_uid = peer->sk_uid.val;
    if (named) {
        struct unix_address *address = named->addr;

        switch (named_by(address)) {
        case UNNAMED:
            break;
        case ABSTRACT:
            set_abstract(denial, address);
            break;
        case PATH:
            denial_set_object(denial, OBJECT_PATH, &address->name[0].sun_path);
            break;
        }
    }
    denial_submit(denial);
}

static __always_inline int reach_locked(void *trie, __u32 locked, struct sock *peer)
{
    struct unix_sock *named = peer ? bpf_skc_to_unix_sock(peer) : NULL;
    struct policy_key key;

    if (!named || named_by(named->addr) != PATH)
        return 0;
    policy_key_begin(&key, POLICY_SOCKET, locked);
    if (bpf_probe_read_kernel_str(key.path, sizeof(key.path) + 1, &named->addr->name[0].sun_path) <=
        0)
        return 0;
    if (!bpf_map_lookup_elem(trie, &key))
        return 0;
    report(locked, peer, named);
    return -EPERM;
}

static __always_inline int reach(struct sock *peer, bool connects)
{
    void *trie;
    const struct policy_value *who = current_value(&trie);
    if (!who)
        return 0;
    if (who->locked)
        return reach_locked(trie, who->locked, peer);
    __u32 sandbox = who->sandbox;
    if (!peer)
        return -EPERM;

    __u32 owner = peer->sk_uid.val, owners = policy_sandbox_of(trie, owner);
    if (owners == sandbox)
        return 0;
    struct unix_sock *named = bpf_skc_to_unix_sock(peer);
    if (named && !owners) {
        enum named by = named_by(named->addr);

        /* Nobody finds a socket without a name: its other end was handed over. */
        if (by == UNNAMED && !connects)
            return 0;
        if (by == PATH && is_allowed(trie, sandbox, named, owner))
            return 0;
    }
    report(sandbox, peer, named);
    return -EPERM;
}

SEC("lsm/unix_stream_connect")
int BPF_PROG(lsm_sockets_connect, struct sock *sock, struct sock *other, struct sock *newsk,
             int ret)
{
    return ret ? ret : reach(other, true);
}

SEC("fmod_ret/security_unix_stream_connect")
int BPF_PROG(fmod_sockets_connect, struct sock *sock, struct sock *other, struct sock *newsk,
             int ret)
{
    return ret ? ret : reach(other, true);
}

SEC("lsm/unix_may_send")
int BPF_PROG(lsm_sockets_send, struct socket *sock, struct socket *other, int ret)
{
    return ret ? ret : reach(other->sk, false);
}

SEC("fmod_ret/security_unix_may_send")
int BPF_PROG(fmod_sockets_send, struct socket *sock, struct socket *other, int ret)
{
    return ret ? ret : reach(other->sk, false);
}
