/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's side of reaching an address: by TCP, UDP and ICMP. */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* What refuses, refuses at once; what answers is on this host, which may be busy. */
#define ANSWER_MSEC 10000

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Who asks for an address, RFC 1035, so that a DNS server answers as well. */
static const char query[] = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
                            "\x09localhost\x00\x00\x01\x00\x01";

static bool parse(const char *text, const char *port, union address *address, socklen_t *size)
{
    const in_port_t number = htons((uint16_t)strtoul(port, NULL, 10));

    *address = (union address){};
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = number;
        *size = sizeof address->v4;
        return true;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = number;
        *size = sizeof address->v6;
        return true;
    }
    return false;
}

/* Returns a socket with that source address, "-" for any, or a negative errno. */
static int open_from(const char *source, const union address *to, int type, int protocol)
{
    _cleanup_close_ int fd =
        socket(to->any.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    union address from;
    socklen_t size;

    if (fd < 0)
        return -errno;
    if (strcmp(source, "-") != 0 &&
        (!parse(source, "0", &from, &size) || bind(fd, &from.any, size) < 0))
        return errno ? -errno : -EINVAL;
    return steal_fd(&fd);
}

/* Returns 0, -ETIMEDOUT or another negative errno. */
static int wait_until(int fd, short events)
{
    struct pollfd poll_fd = { .fd = fd, .events = events };
    int error = 0;
    socklen_t size = sizeof error;

    if (poll(&poll_fd, 1, ANSWER_MSEC) <= 0)
        return -ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? -errno : -error;
}

static int reach_tcp(const char *source, const union address *to, socklen_t size)
{
    _cleanup_close_ int fd = open_from(source, to, SOCK_STREAM, 0);

    if (fd < 0)
        return fd;
    if (connect(fd, &to->any, size) == 0)
        return 0;
    return errno == EINPROGRESS ? wait_until(fd, POLLOUT) : -errno;
}

/* One datagram may be lost. */
static int exchange(int fd, const void *data, size_t size)
{
    int r = -ETIMEDOUT;

    for (int i = 0; i < 2 && r == -ETIMEDOUT; i++) {
        char answer[512];

        if (send(fd, data, size, 0) < 0)
            return -errno;
        r = wait_until(fd, POLLIN);
        if (r == 0 && recv(fd, answer, sizeof answer, 0) < 0)
            r = -errno;
    }
    return r;
}

static int reach_udp(const char *source, const union address *to, socklen_t size)
{
    _cleanup_close_ int fd = open_from(source, to, SOCK_DGRAM, 0);

    if (fd < 0)
        return fd;
    return connect(fd, &to->any, size) < 0 ? -errno : exchange(fd, query, sizeof query - 1);
}

/* An echo request; the kernel makes the checksum for ICMPv6. */
static int reach_icmp(const char *source, const union address *to, socklen_t size)
{
    const bool is_v4 = to->any.sa_family == AF_INET;
    const struct icmphdr echo4 = { .type = ICMP_ECHO,
                                   .checksum = (uint16_t)~htons(ICMP_ECHO << 8) };
    const struct icmp6_hdr echo6 = { .icmp6_type = ICMP6_ECHO_REQUEST };
    _cleanup_close_ int fd = open_from(source, to, SOCK_RAW, is_v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);

    if (fd < 0)
        return fd;
    if (connect(fd, &to->any, size) < 0)
        return -errno;
    return is_v4 ? exchange(fd, &echo4, sizeof echo4) : exchange(fd, &echo6, sizeof echo6);
}

static const struct {
    const char *name;
    int (*reach)(const char *source, const union address *to, socklen_t size);
} protocols[] = {
    { "tcp", reach_tcp },
    { "udp", reach_udp },
    { "icmp", reach_icmp },
};

/* Whether it is what the kernel says of a packet that was not let go: an ICMP error, RST, or
 * nothing but the error of the call. */
static bool is_refusal(int r)
{
    return r == -ECONNREFUSED || r == -EPERM || r == -EACCES || r == -EHOSTUNREACH ||
           r == -ENETUNREACH;
}

/* reach PROTOCOL SOURCE ADDRESS PORT: gets through when it is answered. */
enum attempt_result attempt_reach(int argc, char **argv)
{
    union address to;
    socklen_t size;

    for (size_t i = 0; argc == 5 && i < sizeof protocols / sizeof *protocols; i++) {
        if (strcmp(protocols[i].name, argv[1]) != 0 || !parse(argv[3], argv[4], &to, &size))
            continue;
        errno = 0;
        int r = protocols[i].reach(argv[2], &to, size);
        return attempt_say(r == 0          ? ATTEMPT_THROUGH
                           : is_refusal(r) ? ATTEMPT_REFUSED
                                           : ATTEMPT_UNTRIED,
                           "%s to %s port %s as uid %u: %s", argv[1], argv[3], argv[4],
                           (unsigned)getuid(), r == 0 ? "answered" : strerror(-r));
    }
    return attempt_say(ATTEMPT_UNTRIED, "nothing to reach");
}

static int listen_own(int family, union address *address, socklen_t *size)
{
    _cleanup_close_ int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (!parse(family == AF_INET ? "127.0.0.1" : "::1", "0", address, size))
        return -EINVAL;
    if (fd < 0 || bind(fd, &address->any, *size) < 0 || listen(fd, 8) < 0 ||
        getsockname(fd, &address->any, size) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* reach-own: gets through when it reaches ports on which it listens itself. */
enum attempt_result attempt_reach_own(int argc, char **argv)
{
    static const int families[] = { AF_INET, AF_INET6 };

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        union address address;
        socklen_t size;
        _cleanup_close_ int fd = listen_own(families[i], &address, &size);
        int r = fd < 0 ? fd : reach_tcp("-", &address, size);

        /* A host may well have no IPv6. */
        if (r < 0 && (families[i] == AF_INET || (r != -EAFNOSUPPORT && r != -EADDRNOTAVAIL)))
            return attempt_say(ATTEMPT_REFUSED, "a port of its own: %s", strerror(-r));
    }
    return attempt_say(ATTEMPT_THROUGH, "ports of its own: connected");
}
