/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "conf/cleanup.h"
#include "proxy/client.h"

/* systemd passes one or two: IPv4 and IPv6 loopback. */
#define LISTENERS_MAX 4

#define BATCH 64
#define PAUSE_USEC 200000

struct listeners {
    struct proxy *proxy;
    sd_event_source *sources[LISTENERS_MAX];
    size_t n;
    sd_event_source *timer;
    bool paused;
};

static void set_accepting(struct listeners *listeners, bool accepting)
{
    for (size_t i = 0; i < listeners->n; i++)
        sd_event_source_set_enabled(listeners->sources[i], accepting ? SD_EVENT_ON : SD_EVENT_OFF);
    listeners->paused = !accepting;
}

void listeners_resume(struct listeners *listeners)
{
    if (listeners->paused && listeners->proxy->n_clients < listeners->proxy->clients_max) {
        set_accepting(listeners, true);
        sd_event_source_set_enabled(listeners->timer, SD_EVENT_OFF);
    }
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
    (void)source;
    (void)usec;
    listeners_resume(userdata);
    return 0;
}

static void pause_accepting(struct listeners *listeners)
{
    uint64_t now;

    set_accepting(listeners, false);
    sd_event_now(listeners->proxy->event, CLOCK_MONOTONIC, &now);
    if (sd_event_source_set_time(listeners->timer, now + PAUSE_USEC) >= 0)
        sd_event_source_set_enabled(listeners->timer, SD_EVENT_ONESHOT);
}

/* accept(2): what says that one connection is lost already, and not that there is a problem here.
 */
static bool is_of_the_peer(int error)
{
    return error == ECONNABORTED || error == EINTR || error == EPROTO || error == ENETDOWN ||
           error == ENETUNREACH || error == EHOSTUNREACH || error == EPERM;
}

static int on_accept(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct listeners *listeners = userdata;
    struct proxy *proxy = listeners->proxy;

    (void)source;
    (void)events;
    for (unsigned i = 0; i < BATCH; i++) {
        if (proxy->n_clients >= proxy->clients_max) {
            pause_accepting(listeners);
            return 0;
        }
        int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0 && errno == EAGAIN)
            return 0;
        if (client < 0 && is_of_the_peer(errno))
            continue;
        int r = client < 0 ? -errno : client_new(proxy, client);
        if (r < 0) {
            fprintf(stderr, SD_WARNING "egress %s: cannot accept a connection with %zu open: %s\n",
                    proxy->sandbox, proxy->n_clients, strerror(-r));
            pause_accepting(listeners);
            return 0;
        }
    }
    return 0;
}

int listeners_new(struct proxy *proxy, struct listeners **ret)
{
    struct listeners *listeners = calloc(1, sizeof(*listeners));

    if (!listeners)
        return -ENOMEM;
    listeners->proxy = proxy;
    int r = sd_event_add_time(proxy->event, &listeners->timer, CLOCK_MONOTONIC, 0, 0, on_timer,
                              listeners);
    if (r >= 0)
        r = sd_event_source_set_enabled(listeners->timer, SD_EVENT_OFF);
    if (r < 0) {
        listeners_free(listeners);
        return r;
    }
    *ret = listeners;
    return 0;
}

int listeners_add(struct listeners *listeners, int fd)
{
    if (listeners->n == LISTENERS_MAX)
        return -E2BIG;
    /* The service manager hands it over as blocking (NonBlocking= in systemd.service(5)). */
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    int r = sd_event_add_io(listeners->proxy->event, &listeners->sources[listeners->n], fd, EPOLLIN,
                            on_accept, listeners);
    if (r < 0)
        return r;
    /* Requests that are under way come before new ones. */
    r = sd_event_source_set_priority(listeners->sources[listeners->n++],
                                     SD_EVENT_PRIORITY_NORMAL + 10);
    return r < 0 ? r : 0;
}

void listeners_free(struct listeners *listeners)
{
    for (size_t i = 0; i < listeners->n; i++)
        sd_event_source_disable_unref(listeners->sources[i]);
    sd_event_source_disable_unref(listeners->timer);
    free(listeners);
}
