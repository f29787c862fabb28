/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/resolve.h"

#include <ares.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "conf/cleanup.h"

/* One server that does not answer must leave time for the next (TIMER_DIAL is for all of it). */
#define TRY_MSEC 2000
#define TRIES 2

struct watched {
    struct watched *next;
    ares_socket_t fd;
    sd_event_source *source;
};

struct resolver {
    sd_event *event;
    ares_channel_t *channel;
    sd_event_source *timer;
    struct watched *watched;
};

struct query {
    query_done_t done; /* NULL: cancelled */
    void *userdata;
    struct query **returned; /* while resolver_look_up() runs */
};

static int set_timer(struct resolver *resolver)
{
    struct timeval wait;
    uint64_t now;

    if (!ares_timeout(resolver->channel, NULL, &wait))
        return sd_event_source_set_enabled(resolver->timer, SD_EVENT_OFF);
    sd_event_now(resolver->event, CLOCK_MONOTONIC, &now);
    int r = sd_event_source_set_time(resolver->timer, now + (uint64_t)wait.tv_sec * 1000000 +
                                                          (uint64_t)wait.tv_usec);
    return r < 0 ? r : sd_event_source_set_enabled(resolver->timer, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct resolver *resolver = userdata;

    (void)source;
    ares_process_fd(resolver->channel,
                    events & (EPOLLIN | EPOLLERR | EPOLLHUP) ? fd : ARES_SOCKET_BAD,
                    events & EPOLLOUT ? fd : ARES_SOCKET_BAD);
    return set_timer(resolver);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct resolver *resolver = userdata;

    (void)source;
    (void)usec;
    ares_process_fd(resolver->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    return set_timer(resolver);
}

/* c-ares wants other events, or, with none, is about to close fd. */
static void on_socket_state(void *userdata, ares_socket_t fd, int readable, int writable)
{
    struct resolver *resolver = userdata;
    uint32_t events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
    struct watched **at = &resolver->watched;

    while (*at && (*at)->fd != fd)
        at = &(*at)->next;
    struct watched *watched = *at;
    if (events == 0) {
        if (watched) {
            *at = watched->next;
            sd_event_source_disable_unref(watched->source);
            free(watched);
        }
        return;
    }
    if (watched) {
        sd_event_source_set_io_events(watched->source, events);
        return;
    }
    /* Without a watch the query ends by its timeout. */
    watched = calloc(1, sizeof(*watched));
    if (!watched)
        return;
    watched->fd = fd;
    if (sd_event_add_io(resolver->event, &watched->source, fd, events, on_io, resolver) < 0) {
        free(watched);
        return;
    }
    watched->next = resolver->watched;
    resolver->watched = watched;
}

static const char *take(const struct ares_addrinfo *info, struct addresses *addresses)
{
    for (const struct ares_addrinfo_node *node = info->nodes; node; node = node->ai_next) {
        if (node->ai_family != AF_INET && node->ai_family != AF_INET6)
            continue;
        if (addresses->n == ADDRESSES_MAX)
            return "it has more addresses than are looked at";
        memcpy(&addresses->address[addresses->n++], node->ai_addr, (size_t)node->ai_addrlen);
    }
    return addresses->n > 0 ? NULL : "it has no address";
}

static const char *explain(int status)
{
    switch (status) {
    case ARES_ENOTFOUND:
        return "there is no such name";
    case ARES_ENODATA:
        return "it has no address";
    case ARES_ETIMEOUT:
        return "no DNS server answered in time";
    case ARES_ECONNREFUSED:
    case ARES_ENOSERVER:
        return "no DNS server can be reached";
    case ARES_ESERVFAIL:
        return "the DNS server failed (SERVFAIL)";
    case ARES_EREFUSED:
        return "the DNS server refused to answer";
    case ARES_ENOMEM:
        return "out of memory";
    default:
        return "the DNS server's answer makes no sense";
    }
}

static void on_answer(void *userdata, int status, int timeouts, struct ares_addrinfo *info)
{
    struct query *query = userdata;
    struct addresses addresses = { 0 };

    (void)timeouts;
    if (query->returned)
        *query->returned = NULL;
    if (query->done) {
        const char *problem = status == ARES_SUCCESS ? take(info, &addresses) : explain(status);

        query->done(query->userdata, problem ? NULL : &addresses, problem);
    }
    ares_freeaddrinfo(info);
    free(query);
}

static inline void resolver_freep(struct resolver **resolver)
{
    if (*resolver)
        resolver_free(*resolver);
}

int resolver_new(sd_event *event, struct resolver **ret)
{
    struct ares_options options = {
        .flags = ARES_FLAG_NOSEARCH,
        .timeout = TRY_MSEC,
        .tries = TRIES,
        .sock_state_cb = on_socket_state,
    };
    _cleanup_(resolver_freep) struct resolver *resolver = calloc(1, sizeof(*resolver));

    if (!resolver)
        return -ENOMEM;
    resolver->event = event;
    options.sock_state_cb_data = resolver;
    int r =
        sd_event_add_time(event, &resolver->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, resolver);
    if (r < 0)
        return r;
    r = sd_event_source_set_enabled(resolver->timer, SD_EVENT_OFF);
    if (r < 0)
        return r;
    if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS ||
        ares_init_options(&resolver->channel, &options,
                          ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                              ARES_OPT_SOCK_STATE_CB) != ARES_SUCCESS)
        return -ENOMEM;
    *ret = steal_ptr(resolver);
    return 0;
}

void resolver_free(struct resolver *resolver)
{
    if (resolver->channel)
        ares_destroy(resolver->channel);
    sd_event_source_disable_unref(resolver->timer);
    free(resolver);
}

void resolver_reload(struct resolver *resolver)
{
    ares_reinit(resolver->channel);
}

int resolver_look_up(struct resolver *resolver, const char *host, uint16_t port, query_done_t done,
                     void *userdata, struct query **ret)
{
    const struct ares_addrinfo_hints hints = { .ai_flags = ARES_AI_NUMERICSERV,
                                               .ai_family = AF_UNSPEC,
                                               .ai_socktype = SOCK_STREAM };
    char service[8];

    struct query *query = calloc(1, sizeof(*query));
    if (!query)
        return -ENOMEM;
    query->done = done;
    query->userdata = userdata;
    query->returned = ret;
    *ret = query;
    snprintf(service, sizeof(service), "%u", (unsigned)port);
    ares_getaddrinfo(resolver->channel, host, service, &hints, on_answer, query);
    if (*ret)
        (*ret)->returned = NULL;
    set_timer(resolver);
    return 0;
}

void query_cancel(struct query *query)
{
    query->done = NULL;
}
