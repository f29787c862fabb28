/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pam_sandbox/container.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "conf/cleanup.h"

/* One direction of a connection. */
struct half {
    int from, to;
    size_t begin, end; /* what of the buffer is yet to be written */
    bool ended;        /* and after that there is no more */
    char buffer[65536];
};

static bool is_done(const struct half *half)
{
    return half->ended && half->begin == half->end;
}

/* Each as far as it goes now. Returns 0 or a negative errno. */
static int take(struct half *half)
{
    ssize_t n = read(half->from, half->buffer, sizeof half->buffer);

    if (n < 0)
        return errno == EAGAIN ? 0 : -errno;
    half->begin = 0;
    half->end = (size_t)n;
    half->ended = n == 0;
    return 0;
}

static int give(struct half *half)
{
    ssize_t n = send(half->to, half->buffer + half->begin, half->end - half->begin, MSG_NOSIGNAL);

    if (n < 0)
        return errno == EAGAIN ? 0 : -errno;
    half->begin += (size_t)n;
    return 0;
}

static int move(struct half *half)
{
    int r = 0;

    if (half->begin == half->end && !half->ended) {
        r = take(half);
        if (r == 0 && half->ended && shutdown(half->to, SHUT_WR) < 0)
            r = -errno;
    }
    return r == 0 && half->begin < half->end ? give(half) : r;
}

static struct pollfd wait_for(const struct half *half)
{
    if (half->begin < half->end)
        return (struct pollfd){ .fd = half->to, .events = POLLOUT };
    return (struct pollfd){ .fd = half->ended ? -1 : half->from, .events = POLLIN };
}

/* Both directions, until both have ended or one of them fails. */
static void pass_on(int one, int other)
{
    static struct half there, back;

    there = (struct half){ .from = one, .to = other };
    back = (struct half){ .from = other, .to = one };
    while (!is_done(&there) || !is_done(&back)) {
        struct pollfd fds[] = { wait_for(&there), wait_for(&back) };

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if ((fds[0].revents && move(&there) < 0) || (fds[1].revents && move(&back) < 0))
            return;
    }
}

static int connect_to(uint16_t port)
{
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    const int on = 1;

    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        ioctl(fd, FIONBIO, &on) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* Whether there is any interface but the loopback: a line each, after two of headings. */
static bool has_network(int interfaces_fd)
{
    char text[4096];
    ssize_t n = pread(interfaces_fd, text, sizeof text - 1, 0);
    char *line = text;

    text[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; line && *line; i++) {
        line += strspn(line, " ");
        if (i >= 2 && strncmp(line, "lo:", 3) != 0)
            return true;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

/* In a process of its own. */
static void serve(int client, uint16_t port)
{
    _cleanup_close_ int proxy = connect_to(port);

    if (proxy >= 0)
        pass_on(client, proxy);
}

void container_relay(int listen_fd, int interfaces_fd, int until_fd, uint16_t port)
{
    struct pollfd fds[] = {
        { .fd = listen_fd, .events = POLLIN },
        { .fd = until_fd, .events = POLLIN },
    };

    /* Nobody waits for the processes that serve. */
    signal(SIGCHLD, SIG_IGN);
    while (poll(fds, 2, -1) > 0 || errno == EINTR) {
        _cleanup_close_ int client = -EBADF;

        if (fds[1].revents)
            return;
        client = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        /* A container that was not to have a network gets none by this. */
        if (client < 0 || !has_network(interfaces_fd))
            continue;
        if (fork() == 0) {
            close(listen_fd);
            close(interfaces_fd);
            close(until_fd);
            serve(client, port);
            _exit(0);
        }
    }
}
