/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets that are neither Unix nor IP, which no other layer looks at. */
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <errno.h>
#include <linux/in.h>
#include <string.h>
#include <sys/socket.h>

/* include/uapi/linux/in.h, since Linux 6.11 */
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif

static const struct {
    const char *name;
    int family;
    int type;
    int protocol;
} others[] = {
    { "alg", AF_ALG, SOCK_SEQPACKET, 0 },   { "bluetooth", AF_BLUETOOTH, SOCK_STREAM, 0 },
    { "can", AF_CAN, SOCK_RAW, 0 },         { "qipcrtr", AF_QIPCRTR, SOCK_DGRAM, 0 },
    { "rds", AF_RDS, SOCK_SEQPACKET, 0 },   { "rxrpc", AF_RXRPC, SOCK_DGRAM, AF_INET },
    { "smc", AF_SMC, SOCK_STREAM, 0 },      { "smc-inet", AF_INET, SOCK_STREAM, IPPROTO_SMC },
    { "tipc", AF_TIPC, SOCK_SEQPACKET, 0 }, { "vsock", AF_VSOCK, SOCK_STREAM, 0 },
};

/* What must work. */
static const struct {
    const char *name;
    int family;
    int type;
} own[] = {
    { "Unix", AF_UNIX, SOCK_STREAM },
    { "IPv4", AF_INET, SOCK_STREAM },
    { "IPv6", AF_INET6, SOCK_DGRAM },
    { "netlink", AF_NETLINK, SOCK_RAW },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int make_socket(int family, int type, int protocol)
{
    _cleanup_close_ int fd = socket(family, type | SOCK_CLOEXEC, protocol);

    return fd < 0 ? -errno : 0;
}

/* The policy is asked before the kernel looks whether it has such a family: a kernel without one,
 * which may load it tomorrow, is no protection. Other answers than the policy's come after it. */
static enum attempt_result try_family(const char *name)
{
    for (size_t i = 0; i < COUNT(others); i++) {
        if (strcmp(others[i].name, name) != 0)
            continue;
        int r = make_socket(others[i].family, others[i].type, others[i].protocol);
        if (r == -EACCES)
            return attempt_say(ATTEMPT_REFUSED, "make a socket of family %s: %s", name,
                               strerror(-r));
        return attempt_say(ATTEMPT_THROUGH, "make a socket of family %s: %s", name,
                           r < 0 ? strerror(-r) : "made");
    }
    return attempt_say(ATTEMPT_UNTRIED, "no family %s", name);
}

/* family NAME: gets through when the policy lets it. */
enum attempt_result attempt_family(int argc, char **argv)
{
    return argc == 2 ? try_family(argv[1]) : attempt_say(ATTEMPT_UNTRIED, "no family to try");
}

/* family-own: gets through when the families that every program uses can be had. */
enum attempt_result attempt_family_own(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < COUNT(own); i++) {
        int r = make_socket(own[i].family, own[i].type, 0);

        /* A host may well have no IPv6. */
        if (r < 0 && r != -EAFNOSUPPORT)
            return attempt_say(ATTEMPT_REFUSED, "make a socket of family %s: %s", own[i].name,
                               strerror(-r));
    }
    return attempt_say(ATTEMPT_THROUGH, "make Unix, IP and netlink sockets: made");
}

void probe_family(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    struct call usual[] = { CALL("family-own") };

    if (kernel_policy_is_off(run, "vsock and other families lead past sockets policy and firewall"))
        return;
    place_run(run, &sandbox, usual, 1);
    for (size_t i = 0; i < COUNT(others); i++) {
        struct call tried[] = { CALL("family", others[i].name) };
        struct call control[] = { CALL("family", others[i].name) };

        if (!probe_wants_object(run, others[i].name))
            continue;
        place_run(run, &sandbox, tried, 1);
        place_run(run, &nobody, control, 1);
        run->object = others[i].name;
        place_judge(run, tried);
        place_judge_control(run, usual->result != ATTEMPT_THROUGH ? usual : control);
    }
    run->object = NULL;
}
