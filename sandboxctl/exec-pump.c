/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/exec-pump.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PIECE (1U << 20)
#define BUFFER_SIZE (64U << 10)

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EAGAIN)
            (void)poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
        else if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

/* One piece. Returns what was copied, 0 at the end, -EAGAIN when there is nothing now. */
static ssize_t copy(struct pump *pump, bool *may_splice)
{
    char buffer[BUFFER_SIZE];
    ssize_t n;
    int r;

    if (*may_splice) {
        n = splice(pump->from, NULL, pump->to, NULL, PIECE, SPLICE_F_MOVE);
        if (n >= 0 || (errno != EINVAL && errno != EAGAIN))
            return n < 0 ? -errno : n;
        /* EAGAIN may be of either end, and a file for appending takes none. */
        *may_splice = errno == EAGAIN;
    }
    n = read(pump->from, buffer, sizeof(buffer));
    if (n <= 0)
        return n < 0 ? -errno : 0;
    r = write_all(pump->to, buffer, (size_t)n);
    return r < 0 ? r : n;
}

static void *run(void *userdata)
{
    struct pump *pump = userdata;
    struct pollfd polled[] = {
        { .fd = pump->from, .events = POLLIN },
        { .fd = pump->over, .events = POLLIN },
    };
    bool may_splice = true;

    for (;;) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            break;
        const bool over = polled[1].revents != 0;
        if (!polled[0].revents) {
            if (over)
                break;
            continue;
        }
        ssize_t n = copy(pump, &may_splice);
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n <= 0)
            break;
    }
    close(pump->to);
    if (pump->close_from)
        close(pump->from);
    return NULL;
}

int pump_start(struct pump *pump)
{
    sigset_t all, before;

    /* Signals are for the thread that relays them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int r = pthread_create(&pump->thread, NULL, run, pump);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -r;
}
