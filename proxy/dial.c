/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/judge.h"
#include "proxy/route.h"

/* Before the next address is tried; the last one has what is left of the whole. */
#define ATTEMPT_USEC 3000000
#define WHOLE_USEC 10000000

struct dial {
    const struct dialler *dialler;
    struct identity target;
    dial_done_t done;
    void *userdata;
    struct dial **returned; /* while dial_start() runs */
    struct query *query;
    struct addresses addresses;
    size_t next;
    int fd;
    int error; /* of the last attempt */
    uint64_t deadline;
    sd_event_source *io, *timer;
};

static void dial_free(struct dial *dial)
{
    if (dial->query)
        query_cancel(dial->query);
    sd_event_source_disable_unref(dial->io);
    sd_event_source_disable_unref(dial->timer);
    if (dial->fd >= 0)
        close(dial->fd);
    free(dial);
}

static inline void dial_freep(struct dial **dial)
{
    if (*dial)
        dial_free(*dial);
}

void dial_cancel(struct dial *dial)
{
    dial_free(dial);
}

static void finish(struct dial *dial, enum dial_result result, const char *detail)
{
    dial_done_t done = dial->done;
    void *userdata = dial->userdata;
    int fd = steal_fd(&dial->fd);

    if (dial->returned)
        *dial->returned = NULL;
    dial_free(dial);
    done(userdata, result, fd, detail);
}

static void format_address(const struct sockaddr_storage *address, char *text, socklen_t size)
{
    const void *bytes = address->ss_family == AF_INET
                            ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                            : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;

    inet_ntop(address->ss_family, bytes, text, size);
}

static void attempt(struct dial *dial);

static void drop_attempt(struct dial *dial)
{
    dial->io = sd_event_source_disable_unref(dial->io);
    if (dial->fd >= 0)
        close(steal_fd(&dial->fd));
}

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct dial *dial = userdata;
    int error = 0;
    socklen_t size = sizeof(error);

    (void)source;
    (void)events;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) {
        dial->io = sd_event_source_disable_unref(dial->io);
        finish(dial, DIAL_CONNECTED, NULL);
        return 0;
    }
    drop_attempt(dial);
    dial->error = error;
    attempt(dial);
    return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct dial *dial = userdata;

    (void)source;
    (void)usec;
    drop_attempt(dial);
    dial->error = ETIMEDOUT;
    attempt(dial);
    return 0;
}

static int set_timer(struct dial *dial, uint64_t when)
{
    if (!dial->timer)
        return sd_event_add_time(dial->dialler->event, &dial->timer, CLOCK_MONOTONIC, when, 10000,
                                 on_timer, dial);
    int r = sd_event_source_set_time(dial->timer, when);
    return r < 0 ? r : sd_event_source_set_enabled(dial->timer, SD_EVENT_ONESHOT);
}

static int begin(struct dial *dial, const struct sockaddr_storage *address)
{
    const int on = 1;

    dial->fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (dial->fd < 0)
        return -errno;
    setsockopt(dial->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(dial->fd, (const struct sockaddr *)address,
                address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                              : sizeof(struct sockaddr_in6)) < 0 &&
        errno != EINPROGRESS)
        return -errno;
    return sd_event_add_io(dial->dialler->event, &dial->io, dial->fd, EPOLLOUT, on_connect, dial);
}

/* The next address, or the end. */
static void attempt(struct dial *dial)
{
    char detail[DIAL_DETAIL_SIZE];
    uint64_t now;

    sd_event_now(dial->dialler->event, CLOCK_MONOTONIC, &now);
    while (dial->next < dial->addresses.n && now < dial->deadline) {
        const struct sockaddr_storage *address = &dial->addresses.address[dial->next++];
        uint64_t until = now + ATTEMPT_USEC;

        if (dial->next == dial->addresses.n || until > dial->deadline)
            until = dial->deadline;
        int r = begin(dial, address);
        if (r >= 0)
            r = set_timer(dial, until);
        if (r >= 0)
            return;
        drop_attempt(dial);
        dial->error = -r;
    }
    snprintf(detail, sizeof(detail), "cannot connect to port %u: %s", (unsigned)dial->target.port,
             strerror(dial->error));
    finish(dial, dial->error == ETIMEDOUT ? DIAL_TIMED_OUT : DIAL_FAILED, detail);
}

/* Every address, before any is tried. Returns false when it has ended the dial. */
static bool judge_all(struct dial *dial)
{
    char detail[DIAL_DETAIL_SIZE], text[INET6_ADDRSTRLEN];
    size_t kept = 0;

    for (size_t i = 0; i < dial->addresses.n; i++) {
        const struct sockaddr_storage *address = &dial->addresses.address[i];
        const char *why = judge_address((const struct sockaddr *)address);
        int leaves =
            why ? 0 : route_leaves_host(dial->dialler->route, (const struct sockaddr *)address);

        format_address(address, text, sizeof(text));
        if (!why && leaves == 0)
            why = "this host's own";
        if (why) {
            snprintf(detail, sizeof(detail), "the address %s is %s", text, why);
            finish(dial, DIAL_REFUSED, detail);
            return false;
        }
        /* Mostly IPv6 on a host without it. */
        if (leaves < 0)
            dial->error = -leaves;
        else
            dial->addresses.address[kept++] = *address;
    }
    dial->addresses.n = kept;
    return true;
}

static void go(struct dial *dial)
{
    if (judge_all(dial))
        attempt(dial);
}

static void on_addresses(void *userdata, const struct addresses *addresses, const char *problem)
{
    struct dial *dial = userdata;

    dial->query = NULL;
    if (problem) {
        finish(dial, DIAL_UNRESOLVED, problem);
        return;
    }
    dial->addresses = *addresses;
    go(dial);
}

static void take_literal(struct dial *dial)
{
    struct sockaddr_storage *address = &dial->addresses.address[0];

    dial->addresses.n = 1;
    if (dial->target.v6) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(dial->target.port);
        inet_pton(AF_INET6, dial->target.host, &v6->sin6_addr);
    } else {
        struct sockaddr_in *v4 = (struct sockaddr_in *)address;

        v4->sin_family = AF_INET;
        v4->sin_port = htons(dial->target.port);
        inet_pton(AF_INET, dial->target.host, &v4->sin_addr);
    }
}

int dial_start(const struct dialler *dialler, const struct identity *target, dial_done_t done,
               void *userdata, struct dial **ret)
{
    _cleanup_(dial_freep) struct dial *dial = calloc(1, sizeof(*dial));
    uint64_t now;

    if (!dial)
        return -ENOMEM;
    sd_event_now(dialler->event, CLOCK_MONOTONIC, &now);
    dial->dialler = dialler;
    dial->target = *target;
    dial->done = done;
    dial->userdata = userdata;
    dial->fd = -1;
    dial->deadline = now + WHOLE_USEC;

    /* From here on it may be gone when a call returns. */
    struct dial *started = steal_ptr(dial);
    *ret = started;
    started->returned = ret;
    if (target->literal) {
        take_literal(started);
        go(started);
    } else {
        struct query *query;

        int r = resolver_look_up(dialler->resolver, target->host, target->port, on_addresses,
                                 started, &query);
        if (r < 0) {
            *ret = NULL;
            dial_free(started);
            return r;
        }
        /* Not there any more when it was answered at once, and then the dial may not be either. */
        if (query)
            started->query = query;
    }
    if (*ret)
        (*ret)->returned = NULL;
    return 0;
}
