/* SPDX-License-Identifier: GPL-2.0-only */

/* families: a sandbox has the address families that something else here holds: Unix sockets, of
 * which the sockets program judges, IP, which a firewall sees, and what leaves no host. The others
 * are ways past both: to the hypervisor and to other guests (vsock), to what is near (bluetooth,
 * nfc), and to the network by a socket that the kernel makes itself and that has no user any more
 * (smc, rds, rxrpc). */

#include "bpf/lookup.h"
#include "bpf/report.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* include/linux/socket.h and include/uapi/linux/in.h; AF_PACKET is for who has CAP_NET_RAW in a
 * network namespace of its own. */
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16
#define AF_PACKET 17
#define IPPROTO_SMC 256

static __always_inline bool is_held(int family, int protocol)
{
    switch (family) {
    case AF_INET:
    case AF_INET6:
        return protocol != IPPROTO_SMC;
    case AF_UNIX:
    case AF_NETLINK:
    case AF_PACKET:
        return true;
    default:
        return false;
    }
}

/* kern: the kernel makes it for itself, whoever runs. */
static __always_inline int create(int family, int protocol, int kern)
{
    if (kern || is_held(family, protocol))
        return 0;
    void *trie;
    __u32 sandbox = current_sandbox(&trie);
    if (!sandbox)
        return 0;

    struct denial *denial = denial_begin(sandbox, PROGRAM_FAMILIES);
    if (denial) {
        denial->detail = (__u32)family;
        denial_submit(denial);
    }
    return -EACCES; /* what socket(2) says of a type of socket that is not permitted */
}

SEC("lsm/socket_create")
int BPF_PROG(lsm_families, int family, int type, int protocol, int kern, int ret)
{
    return ret ? ret : create(family, protocol, kern);
}

SEC("fmod_ret/security_socket_create")
int BPF_PROG(fmod_families, int family, int type, int protocol, int kern, int ret)
{
    return ret ? ret : create(family, protocol, kern);
}
