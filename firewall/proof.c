/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/proof.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "firewall/metadata.h"

/* The answer to a packet that is refused comes from this host, at once. */
#define ANSWER_MSEC 2000

struct target {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    socklen_t size;
    int fd; /* that listens there; -EBADF: none of ours */
    const char *what;
};

struct prover {
    proof_report_t report;
    void *userdata;
    struct target tcp4, tcp6, udp4;
};

static void tell(const struct prover *prover, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(const struct prover *prover, const char *format, ...)
{
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    prover->report(message, prover->userdata);
}

static struct target make_target(int family, const uint8_t *bytes, uint16_t port, const char *what)
{
    struct target target = { .fd = -EBADF, .what = what };

    if (family == AF_INET) {
        target.address.v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
        memcpy(&target.address.v4.sin_addr, bytes, 4);
        target.size = sizeof target.address.v4;
    } else {
        target.address.v6 =
            (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
        memcpy(&target.address.v6.sin6_addr, bytes, 16);
        target.size = sizeof target.address.v6;
    }
    return target;
}

/* Listens at a port that is free. -EADDRNOTAVAIL and the like: the host has no such address. */
static int listen_at(struct target *target, int type)
{
    _cleanup_close_ int fd =
        socket(target->address.any.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, &target->address.any, target->size) < 0 ||
        (type == SOCK_STREAM && listen(fd, SOMAXCONN) < 0) ||
        getsockname(fd, &target->address.any, &target->size) < 0)
        return -errno;
    target->fd = steal_fd(&fd);
    return 0;
}

/* A socket is whose file system uid made it: that is what "meta skuid" compares. */
static int socket_of(uid_t uid, int family, int type)
{
    int fd, error;

    setfsuid(uid);
    fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = errno;
    setfsuid(geteuid());
    return fd < 0 ? -error : fd;
}

/* What became of a connection: 0, -ECONNREFUSED, -ENETUNREACH without a route, -ETIMEDOUT when
 * nobody answered, and so on. */
static int try_tcp(uid_t uid, const struct target *target)
{
    _cleanup_close_ int fd = socket_of(uid, target->address.any.sa_family, SOCK_STREAM);
    struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
    int error = 0;
    socklen_t size = sizeof error;

    if (fd < 0)
        return fd;
    if (connect(fd, &target->address.any, target->size) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return -errno;
    if (poll(&pollfd, 1, ANSWER_MSEC) <= 0)
        return -ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? -errno : -error;
}

static int try_udp(uid_t uid, const struct target *target)
{
    _cleanup_close_ int fd = socket_of(uid, target->address.any.sa_family, SOCK_DGRAM);
    char byte = 0;

    if (fd < 0)
        return fd;
    return sendto(fd, &byte, 1, 0, &target->address.any, target->size) < 0 ? -errno : 0;
}

static int must_be_refused(const struct prover *prover, const char *who, uid_t uid,
                           const struct target *target, bool udp)
{
    const int r = udp ? try_udp(uid, target) : try_tcp(uid, target);

    /* A filter's refusal of a datagram is the sender's EPERM. Without a route there is nothing to
     * refuse. */
    if (r == (udp ? -EPERM : -ECONNREFUSED) || r == -ENETUNREACH || r == -EHOSTUNREACH ||
        r == -EADDRNOTAVAIL)
        return 0;
    tell(prover, "uid %u (%s) is not refused %s: %s", uid, who, target->what,
         r == 0 ? "it got through" : strerror(-r));
    return -EPERM;
}

static int try_as(const struct prover *prover, const char *who, uid_t uid)
{
    int r = must_be_refused(prover, who, uid, &prover->tcp4, false);

    if (r == 0 && prover->tcp6.fd >= 0)
        r = must_be_refused(prover, who, uid, &prover->tcp6, false);
    return r == 0 ? must_be_refused(prover, who, uid, &prover->udp4, true) : r;
}

static int try_metadata_as(const struct prover *prover, const char *who, uid_t uid)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n_metadata_addresses; i++) {
        const uint8_t *address = metadata_addresses[i].address;

        /* A link-local address is one of some interface, and there is no telling which. */
        if (metadata_addresses[i].family == AF_INET6 && address[0] == 0xfe)
            continue;
        const struct target target =
            make_target(metadata_addresses[i].family, address, 80, "a cloud's metadata address");

        r = must_be_refused(prover, who, uid, &target, false);
    }
    return r;
}

static int try_sandbox(const struct prover *prover, const struct config_sandbox *sandbox,
                       bool deny_metadata)
{
    const struct config_id_range *ids = &sandbox->subids;
    int r = try_as(prover, sandbox->name, sandbox->uid);

    if (r == 0 && ids->count > 0)
        r = try_as(prover, sandbox->name, ids->start);
    if (r == 0 && ids->count > 0)
        r = try_as(prover, sandbox->name, ids->start + ids->count - 1);
    if (r == 0 && deny_metadata)
        r = try_metadata_as(prover, sandbox->name, sandbox->uid);
    return r;
}

/* The same, where it must work. */
static int try_controls(const struct prover *prover)
{
    const struct target *const targets[] = { &prover->tcp4, &prover->tcp6, &prover->udp4 };

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        int r;

        if (targets[i]->fd < 0)
            continue;
        r = targets[i] == &prover->udp4 ? try_udp(0, targets[i]) : try_tcp(0, targets[i]);
        if (r < 0) {
            tell(prover, "root itself cannot reach %s: %s; is the loopback interface up?",
                 targets[i]->what, strerror(-r));
            return r;
        }
    }
    return 0;
}

static int listen_all(struct prover *prover)
{
    static const uint8_t loopback4[4] = { 127, 0, 0, 1 }, loopback6[16] = { [15] = 1 };
    int r;

    prover->tcp4 = make_target(AF_INET, loopback4, 0, "a TCP port of this host");
    prover->tcp6 = make_target(AF_INET6, loopback6, 0, "a TCP port of this host by IPv6");
    prover->udp4 = make_target(AF_INET, loopback4, 0, "a UDP port of this host");
    r = listen_at(&prover->tcp4, SOCK_STREAM);
    if (r == 0)
        r = listen_at(&prover->udp4, SOCK_DGRAM);
    if (r < 0)
        tell(prover, "cannot listen on the loopback interface: %s", strerror(-r));
    else
        (void)listen_at(&prover->tcp6, SOCK_STREAM); /* a host may be without IPv6 */
    return r;
}

static int prove(const struct prover *prover, const struct ruleset_input *input)
{
    const struct config *config = input->config;
    int r = try_controls(prover);

    for (size_t i = 0; r == 0 && i < config->n_sandboxes; i++)
        r = try_sandbox(prover, &config->sandboxes[i], config->host.deny_metadata);
    if (r == 0 && input->proxy_uid != RULESET_NO_UID)
        r = try_as(prover, "the proxies", input->proxy_uid);
    if (r == 0 && input->lock_uid != RULESET_NO_UID && config->host.deny_metadata)
        r = try_metadata_as(prover, config->host.lock_user, input->lock_uid);
    for (size_t i = 0; r == 0 && i < input->n_lock_ids && config->host.deny_metadata; i++)
        r = try_metadata_as(prover, config->host.lock_user, input->lock_ids[i].start);
    return r;
}

int proof_run(const struct ruleset_input *input, proof_report_t report, void *userdata)
{
    struct prover prover = { .report = report, .userdata = userdata };
    int r = listen_all(&prover);

    if (r == 0)
        r = prove(&prover, input);
    cleanup_closep(&prover.tcp4.fd);
    cleanup_closep(&prover.tcp6.fd);
    cleanup_closep(&prover.udp4.fd);
    return r;
}
