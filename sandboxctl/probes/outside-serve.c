/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that answers, on this host and outside of it. */
#include "sandboxctl/probes/outside.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define MAX_LISTENERS 24

struct server {
    struct pollfd fds[MAX_LISTENERS];
    bool is_datagram[MAX_LISTENERS];
    size_t n;
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static const in_port_t ports[] = OUTSIDE_PORTS;

/* An address of this host may be one that comes with the way out. A datagram is answered from the
 * address that it was sent to, ip(7) and ipv6(7). */
static int prepare(int fd, int family, int type)
{
    const int on = 1;

    if (family == AF_INET && setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof on) < 0)
        return -errno;

    if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0)
        return -errno;
    if (type != SOCK_DGRAM)
        return 0;
    if (family == AF_INET)
        return setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on) < 0 ? -errno : 0;
    /* Of addresses that are here by a route, IPv6 does not see by itself that they are. */
    if (setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) < 0 ||
        setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on) < 0)
        return -errno;
    return 0;
}

/* Returns the port or a negative errno. */
static int listen_at(struct server *server, int family, int type, const void *bytes, in_port_t port)
{
    _cleanup_close_ int fd = socket(family, type | SOCK_CLOEXEC, 0);
    union address address = { .any.sa_family = (sa_family_t)family };
    socklen_t size = family == AF_INET ? sizeof address.v4 : sizeof address.v6;

    if (family == AF_INET) {
        address.v4.sin_port = htons(port);
        memcpy(&address.v4.sin_addr, bytes, 4);
    } else {
        address.v6.sin6_port = htons(port);
        memcpy(&address.v6.sin6_addr, bytes, 16);
    }
    if (fd < 0)
        return -errno;
    int r = prepare(fd, family, type);
    if (r < 0)
        return r;
    if (bind(fd, &address.any, size) < 0 || (type == SOCK_STREAM && listen(fd, SOMAXCONN) < 0) ||
        getsockname(fd, &address.any, &size) < 0)
        return -errno;
    server->is_datagram[server->n] = type == SOCK_DGRAM;
    server->fds[server->n++] = (struct pollfd){ .fd = steal_fd(&fd), .events = POLLIN };
    return ntohs(family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

/* Some address of the loopback interface has port 53 free, or whoever has it on all of them answers
 * there. */
static int listen_dns(struct server *server, in_addr_t *ret)
{
    const in_addr_t all[] = { htonl(0x7f4d5001), htonl(0x7f4d5002), htonl(0x7f4d5003) };
    int r = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *ret = all[i];
        r = listen_at(server, AF_INET, SOCK_STREAM, &all[i], 53);
        if (r >= 0)
            r = listen_at(server, AF_INET, SOCK_DGRAM, &all[i], 53);
        if (r != -EADDRINUSE)
            break;
    }
    return r == -EADDRINUSE ? 0 : r;
}

/* This host's own ports. */
static int listen_here(const struct outside *outside, struct server *server,
                       struct outside_hello *hello)
{
    const in_addr_t loopback = htonl(INADDR_LOOPBACK), source = inet_addr(outside->source4);
    int r = listen_at(server, AF_INET, SOCK_STREAM, &loopback, 0);

    hello->tcp = (in_port_t)r;
    if (r >= 0 && outside->has_ipv6) {
        r = listen_at(server, AF_INET6, SOCK_STREAM, &in6addr_loopback, 0);
        hello->tcp6 = (in_port_t)r;
    }
    if (r >= 0) {
        r = listen_at(server, AF_INET, SOCK_STREAM, &source, 0);
        hello->own = (in_port_t)r;
    }
    if (r >= 0) {
        r = listen_at(server, AF_INET, SOCK_DGRAM, &loopback, 0);
        hello->udp = (in_port_t)r;
    }
    return r < 0 ? r : listen_dns(server, &hello->dns);
}

static int listen_outside(const struct outside *outside, struct server *server)
{
    static const int families[] = { AF_INET, AF_INET6 };
    int r = 0;

    for (size_t f = 0; f < (outside->has_ipv6 ? 2 : 1); f++)
        for (size_t i = 0; i < sizeof ports / sizeof *ports && r >= 0; i++) {
            r = listen_at(server, families[f], SOCK_STREAM, &in6addr_any, ports[i]);
            if (r >= 0 && ports[i] != 80)
                r = listen_at(server, families[f], SOCK_DGRAM, &in6addr_any, ports[i]);
        }
    return r;
}

static void echo(int fd)
{
    union address from;
    char data[512], control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct iovec iovec = { data, sizeof data };
    struct msghdr message = {
        .msg_name = &from,
        .msg_namelen = sizeof from,
        .msg_iov = &iovec,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);
    struct cmsghdr *info = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;

    if (!info)
        return;
    /* Not through the interface that has the address, which is the loopback one. */
    if (info->cmsg_level == IPPROTO_IP)
        ((struct in_pktinfo *)(void *)CMSG_DATA(info))->ipi_ifindex = 0;
    else
        ((struct in6_pktinfo *)(void *)CMSG_DATA(info))->ipi6_ifindex = 0;
    iovec.iov_len = (size_t)n;
    sendmsg(fd, &message, MSG_DONTWAIT);
}

static void answer_connection(const struct server *server, int listener)
{
    _cleanup_close_ int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0 || fork() != 0)
        return;
    for (size_t i = 0; i < server->n; i++)
        close(server->fds[i].fd);
    alarm(30);
    outside_answer(fd);
    _exit(0);
}

void outside_serve(const struct outside *outside, int in, int out)
{
    struct outside_hello hello = {};
    struct server server = {};
    char go;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    hello.error = listen_here(outside, &server, &hello);
    if (hello.error >= 0)
        hello.error = unshare(CLONE_NEWNET) < 0 ? -errno : 0;
    if (write(out, &hello, sizeof hello) != sizeof hello || read(in, &go, 1) != 1)
        _exit(1);
    hello.error = listen_outside(outside, &server);
    if (write(out, &hello, sizeof hello) != sizeof hello)
        _exit(1);
    while (poll(server.fds, server.n, -1) > 0 || errno == EINTR)
        for (size_t i = 0; i < server.n; i++)
            if (server.fds[i].revents & POLLIN) {
                if (server.is_datagram[i])
                    echo(server.fds[i].fd);
                else
                    answer_connection(&server, server.fds[i].fd);
            }
    _exit(0);
}
