/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/snapshot.h"
#include "firewall/events.h"

#define USERS_SLICE CGROUP_ROOT "/user.slice"

struct watch {
    struct loaded loaded;
    sd_event *event;
    int events_fd;
};

static void watch_done(struct watch *watch)
{
    loaded_free(&watch->loaded);
    sd_event_unref(watch->event);
    cleanup_closep(&watch->events_fd);
}

/* Somebody else had a hand in it: nobody gets a session before it was proven again, which systemd
 * sees to when it starts this anew. What was in force holds again first of all. */
static int restore(struct watch *watch)
{
    fprintf(stderr, "The table " RULESET_FAMILY " " RULESET_TABLE " was changed by somebody else; "
                    "restoring it\n");
    (void)snapshot_clear_ready("");
    (void)load_table(&watch->loaded);
    return -ESTALE;
}

/* Our own transaction is told as well, before the call that makes it returns. */
static int expect_one_transaction(struct watch *watch)
{
    const int n = events_read(watch->events_fd);

    if (n == -ENOBUFS) /* more than fits was ours, in all likelihood, and there is no telling */
        return 0;
    return n < 0 ? n : n > 1 ? restore(watch) : 0;
}

static int reload_table(struct watch *watch)
{
    int r = load_table(&watch->loaded);

    return r < 0 ? r : expect_one_transaction(watch);
}

/* Whatever a handler returns ends the loop: sd-event would only turn the source off. */
static int end_on_error(struct watch *watch, int r)
{
    return r < 0 ? sd_event_exit(watch->event, r) : 0;
}

static int on_events(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct watch *watch = userdata;
    const int n = events_read(fd);

    (void)source;
    (void)revents;
    if (n > 0 || n == -ENOBUFS)
        return end_on_error(watch, restore(watch));
    return end_on_error(watch, n);
}

static int on_slice(sd_event_source *source, const struct inotify_event *inotify, void *userdata)
{
    struct watch *watch = userdata;
    int r;

    (void)source;
    (void)inotify;
    if (!load_look_for_slices(&watch->loaded))
        return 0;
    r = load_slices(&watch->loaded);
    return end_on_error(watch, r < 0 ? r : expect_one_transaction(watch));
}

static int on_resolvers(sd_event_source *source, const struct inotify_event *inotify,
                        void *userdata)
{
    struct watch *watch = userdata;
    struct ruleset_address now[RESOLVERS_MAX] = { 0 };
    size_t n = resolvers_read(now);

    (void)source;
    (void)inotify;
    if (n == watch->loaded.input.n_resolvers &&
        memcmp(now, watch->loaded.resolvers, n * sizeof *now) == 0)
        return 0;
    memcpy(watch->loaded.resolvers, now, sizeof now);
    watch->loaded.input.n_resolvers = n;
    return end_on_error(watch, reload_table(watch));
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    struct watch *watch = userdata;
    struct loaded loaded;
    struct timespec now;
    int r;

    (void)source;
    (void)info;
    clock_gettime(CLOCK_MONOTONIC, &now);
    (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
                     (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    r = load_read(&loaded);
    if (r < 0) {
        loaded_free(&loaded);
        return end_on_error(watch, r);
    }
    loaded_free(&watch->loaded);
    watch->loaded = loaded;
    watch->loaded.input.resolvers = watch->loaded.resolvers;
    r = reload_table(watch);
    if (r == 0)
        r = load_prove(&watch->loaded);
    if (r == 0)
        (void)sd_notify(0, "READY=1");
    return end_on_error(watch, r);
}

static int add_sources(struct watch *watch)
{
    static const uint32_t file_events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE;
    sd_event *event = watch->event;
    int r;

    r = sd_event_add_io(event, NULL, watch->events_fd, EPOLLIN, on_events, watch);
    if (r >= 0)
        r = sd_event_add_signal(event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
    if (r >= 0)
        r = sd_event_add_signal(event, NULL, SIGINT | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
    if (r >= 0)
        r = sd_event_add_signal(event, NULL, SIGHUP | SD_EVENT_SIGNAL_PROCMASK, on_reload, watch);
    /* systemd has made both before any unit was started. */
    if (r >= 0)
        r = sd_event_add_inotify(event, NULL, USERS_SLICE, IN_CREATE | IN_DELETE, on_slice, watch);
    if (r >= 0)
        r = sd_event_add_inotify(event, NULL, "/etc", file_events, on_resolvers, watch);
    if (r < 0) {
        fprintf(stderr, "cannot wait for changes: %s\n", strerror(-r));
        return r;
    }
    /* Where resolv.conf is a link to, on most hosts that make it anew. */
    (void)sd_event_add_inotify(event, NULL, "/run/systemd/resolve", file_events, on_resolvers,
                               watch);
    return 0;
}

int watch_run(void)
{
    _cleanup_(watch_done) struct watch watch = { .events_fd = -EBADF };
    int r;

    watch.events_fd = events_open();
    if (watch.events_fd < 0) {
        fprintf(stderr, "cannot listen to nftables: %s\n", strerror(-watch.events_fd));
        return watch.events_fd;
    }
    r = sd_event_new(&watch.event);
    if (r >= 0)
        r = sd_event_set_watchdog(watch.event, true);
    if (r >= 0)
        r = load_read(&watch.loaded);
    /* Before the table is loaded, so that nothing is missed. */
    if (r >= 0)
        r = add_sources(&watch);
    if (r >= 0)
        r = reload_table(&watch);
    if (r >= 0)
        r = load_prove(&watch.loaded);
    if (r >= 0) {
        (void)sd_notify(0, "READY=1");
        r = sd_event_loop(watch.event);
    }
    return r;
}
