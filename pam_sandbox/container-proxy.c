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

    /* The address comes with the interface, which who made the namespace has yet to bring up. There
     * may be several that listen: containers of one network come and go, and podman 5.4 runs the
     * hooks of a device twice that stands in containers.conf. */
    if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof on) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 128) < 0)
        return -errno;
    return steal_fd(&fd);
}

static int send_fd(int channel, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
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
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(channel, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive_fd(int channel)
{
    char byte;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr message = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    int fd;

    if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) < 0)
        return -errno;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
        return -EPROTO;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/* A socket belongs to the namespace that it was made in: a process goes there, hands one back, and
 * ends. It could not come back, as the network of the session is that of the host. Returns the
 * socket, or a negative errno. */
static int listen_there(int namespace_fd, uint16_t port)
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
        if (setns(namespace_fd, CLONE_NEWNET) < 0)
            _exit(errno);
        int fd = listen_here(port);
        _exit(fd < 0 ? -fd : -send_fd(far, fd));
    }
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    if (!WIFEXITED(status))
        return -EPROTO;
    return WEXITSTATUS(status) > 0 ? -WEXITSTATUS(status) : receive_fd(near);
}

/* The runtime waits for the end of the hook, and for that of what it passed to it. */
static int stay_behind(int listen_fd, int interfaces_fd, int until_fd, uint16_t port)
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
    container_relay(listen_fd, interfaces_fd, until_fd, port);
    _exit(0);
}

static int is_own_network(int namespace_fd)
{
    struct stat own, its;

    if (stat("/proc/self/ns/net", &own) < 0 || fstat(namespace_fd, &its) < 0)
        return -errno;
    return own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

static int open_of(pid_t pid, const char *name)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int container_proxy(pid_t init, uint16_t port)
{
    _cleanup_close_ int until = pidfd_open(init, 0), namespace_fd = open_of(init, "ns/net"),
                        interfaces = open_of(init, "net/dev"), listener = -EBADF;
    int r;

    if (until < 0)
        return -errno;
    if (namespace_fd < 0 || interfaces < 0)
        return namespace_fd < 0 ? namespace_fd : interfaces;
    r = is_own_network(namespace_fd);
    if (r != 0)
        return r < 0 ? r : 0;
    listener = listen_there(namespace_fd, port);
    /* Another container of the same network has the port for something else. */
    if (listener == -EADDRINUSE)
        return 0;
    return listener < 0 ? listener : stay_behind(listener, interfaces, until, port);
}
