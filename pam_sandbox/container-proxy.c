/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pam_sandbox/container.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/cleanup.h"

/* A socket of the network namespace that the process is in, which it stays of. Returns it, or a
 * negative errno. */
static int listen_here(uint16_t port)
{
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    const int on = 1;

    /* The address comes with the interface, which who made the namespace has yet to bring up. */
    if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof on) < 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 128) < 0)
        return -errno;
    return steal_fd(&fd);
}

static int send_fds(int channel, const int fds[static 2])
{
    char byte = 0;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {};
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr message = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));
    return sendmsg(channel, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive_fds(int channel, int fds[static 2])
{
    char byte;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr message = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };

    if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) < 0)
        return -errno;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return -EPROTO;
    memcpy(fds, CMSG_DATA(header), 2 * sizeof(int));
    return 0;
}

/* Sockets belong to the namespace that they were made in: a process goes there, hands two back, the
 * one that listens and another one, and ends. It could not come back, as the network of the session
 * is that of the host. */
static int fetch_sockets(int namespace_fd, uint16_t port, int fds[static 2])
{
    _cleanup_close_ int near = -EBADF, far = -EBADF;
    int channel[2], status;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0)
        return -errno;
    near = channel[0];
    far = channel[1];

    const pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        int made[2];

        if (setns(namespace_fd, CLONE_NEWNET) < 0)
            _exit(errno);
        made[0] = listen_here(port);
        if (made[0] < 0)
            _exit(-made[0]);
        made[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        _exit(made[1] < 0 ? errno : -send_fds(far, made));
    }
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    if (!WIFEXITED(status))
        return -EPROTO;
    return WEXITSTATUS(status) > 0 ? -WEXITSTATUS(status) : receive_fds(near, fds);
}

/* The runtime waits for the end of the hook, and for that of what it passed to it. */
static int stay_behind(int listen_fd, int network_fd, int until_fd, uint16_t port)
{
    const pid_t pid = fork();

    if (pid != 0)
        return pid < 0 ? -errno : 0;
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || chdir("/") < 0)
        _exit(1);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (dup2(null, fd) < 0)
            _exit(1);
    container_relay(listen_fd, network_fd, until_fd, port);
    _exit(0);
}

static int is_own_network(int namespace_fd)
{
    struct stat own, its;

    if (stat("/proc/self/ns/net", &own) < 0 || fstat(namespace_fd, &its) < 0)
        return -errno;
    return own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

int container_proxy(pid_t init, uint16_t port)
{
    _cleanup_close_ int until = pidfd_open(init, 0), namespace_fd = -EBADF;
    char path[64];
    int fds[2], r;

    if (until < 0)
        return -errno;
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)init);
    namespace_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (namespace_fd < 0)
        return -errno;
    r = is_own_network(namespace_fd);
    if (r != 0)
        return r < 0 ? r : 0;
    r = fetch_sockets(namespace_fd, port, fds);
    /* Another container of the same network has one. */
    if (r == -EADDRINUSE)
        return 0;
    if (r < 0)
        return r;
    r = stay_behind(fds[0], fds[1], until, port);
    close(fds[0]);
    close(fds[1]);
    return r;
}
