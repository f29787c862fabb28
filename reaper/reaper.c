/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox-reaper: ends what sandbox users leave when their last session is over. Told by logind
 * through sd_login_monitor(3); follow.h says what is done for one user. */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/program.h"
#include "reaper/cgroup.h"
#include "reaper/follow.h"
#include "reaper/gate.h"
#include "reaper/reap.h"
#include "reaper/sandboxes.h"

struct reaper {
    struct sandboxes sandboxes;
    struct follow *follows; /* users with something to end, or a session */
    size_t n_follows;
    sd_login_monitor *monitor;
    sd_event_source *login;
    sd_event_source *timer;
};

static struct follow *find_follow(struct reaper *reaper, uid_t uid)
{
    for (size_t i = 0; i < reaper->n_follows; i++)
        if (reaper->follows[i].uid == uid)
            return &reaper->follows[i];
    return NULL;
}

static int add_follow(struct reaper *reaper, uid_t uid)
{
    if (find_follow(reaper, uid))
        return 0;
    struct follow *follows = reallocarray(reaper->follows, reaper->n_follows + 1, sizeof(*follows));
    if (!follows)
        return -ENOMEM;
    reaper->follows = follows;
    follows[reaper->n_follows++] = (struct follow){ .uid = uid, .gate = -1 };
    return 0;
}

static void drop_follow(struct reaper *reaper, size_t i)
{
    uid_t uid = reaper->follows[i].uid;

    reaper->follows[i] = reaper->follows[--reaper->n_follows];
    /* The uid of a sandbox that was taken out of the configuration may become somebody else's. */
    if (!sandboxes_contain(&reaper->sandboxes, uid))
        gate_remove(uid);
}

/* Every user who opened a session since boot has a file at the gate, so that a sandbox that was
 * taken out of the configuration with sessions open is followed by the next reaper too. */
static int add_from_gate(struct reaper *reaper)
{
    _cleanup_closedir_ DIR *directory = opendir(GATE_DIR);
    if (!directory)
        return errno == ENOENT ? 0 : -errno;

    for (struct dirent *entry; (entry = readdir(directory));) {
        unsigned uid;
        char rest;

        if (sscanf(entry->d_name, "%u%c", &uid, &rest) != 1)
            continue;
        int r = add_follow(reaper, (uid_t)uid);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_from_logind(struct reaper *reaper)
{
    _cleanup_free_ uid_t *uids = NULL;
    int n = sd_get_uids(&uids);
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++) {
        int r = sandboxes_contain(&reaper->sandboxes, uids[i]) ? add_follow(reaper, uids[i]) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

/* What runs in a slice without logind's knowledge, as a user manager that root started by hand. */
static int add_from_cgroups(struct reaper *reaper)
{
    int fd = cgroup_open_users();
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    _cleanup_closedir_ DIR *directory = fdopendir(fd);
    if (!directory) {
        close(fd);
        return -ENOMEM;
    }

    for (struct dirent *entry; (entry = readdir(directory));) {
        unsigned uid;
        int end = 0;

        if (sscanf(entry->d_name, "user-%u.slice%n", &uid, &end) != 1 || entry->d_name[end] ||
            end == 0)
            continue;
        int r = sandboxes_contain(&reaper->sandboxes, uid) ? add_follow(reaper, uid) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

static void forget(sd_bus **bus, uid_t uid)
{
    int r = *bus ? 0 : sd_bus_open_system(bus);
    if (r >= 0)
        r = reap_forget(*bus, uid);
    if (r < 0)
        fprintf(stderr,
                SD_WARNING
                "uid %u: cannot ask logind to forget the user, its runtime and temporary "
                "directories stay for a while: %s\n",
                (unsigned)uid, strerror(-r));
}

static uint64_t now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Steps everybody. Kills come first, as they depend on nobody; asking logind about many users takes
 * its time. Returns when to step again, UINT64_MAX for never. */
static uint64_t step_all(struct reaper *reaper)
{
    uint64_t next = UINT64_MAX, now = now_usec();
    _cleanup_free_ uid_t *forgotten = calloc(reaper->n_follows + 1, sizeof(uid_t));
    size_t n_forgotten = 0;
    sd_bus *bus = NULL;

    for (size_t i = reaper->n_follows; i-- > 0;) {
        uint64_t wakeup = UINT64_MAX;
        enum follow_result result = follow_step(&reaper->follows[i], now, &wakeup);

        if (result == FOLLOW_FORGET && forgotten)
            forgotten[n_forgotten++] = reaper->follows[i].uid;
        if (result == FOLLOW_GONE)
            drop_follow(reaper, i);
        else if (wakeup < next)
            next = wakeup;
    }
    for (size_t i = 0; i < n_forgotten; i++)
        forget(&bus, forgotten[i]);
    sd_bus_flush_close_unref(bus);
    return next;
}

static int look(struct reaper *reaper)
{
    int r = sandboxes_refresh(&reaper->sandboxes);
    if (r < 0 && r != -ENOENT)
        fprintf(stderr, SD_ERR "%s: cannot read, going on with the sandboxes known so far: %s\n",
                SNAPSHOT_FILE, strerror(-r));

    r = add_from_logind(reaper);
    if (r >= 0)
        r = add_from_cgroups(reaper);
    if (r < 0)
        return r;

    uint64_t next = step_all(reaper);
    if (next == UINT64_MAX)
        return sd_event_source_set_enabled(reaper->timer, SD_EVENT_OFF);
    r = sd_event_source_set_time(reaper->timer, next);
    if (r < 0)
        return r;
    return sd_event_source_set_enabled(reaper->timer, SD_EVENT_ONESHOT);
}

static int on_login(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct reaper *reaper = userdata;

    (void)source;
    (void)fd;
    (void)revents;
    /* Before looking: what changes after that is reported again. */
    int r = sd_login_monitor_flush(reaper->monitor);
    return r < 0 ? r : look(reaper);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
    (void)source;
    (void)usec;
    return look(userdata);
}

static void done(struct reaper *reaper)
{
    for (size_t i = 0; i < reaper->n_follows; i++)
        if (reaper->follows[i].gate >= 0)
            close(reaper->follows[i].gate);
    free(reaper->follows);
    sandboxes_done(&reaper->sandboxes);
    sd_event_source_unref(reaper->timer);
    sd_event_source_unref(reaper->login);
    sd_login_monitor_unref(reaper->monitor);
}

static int run(struct reaper *reaper, sd_event *event)
{
    int r;

    r = sd_event_set_signal_exit(event, true);
    if (r < 0)
        return r;
    r = sd_event_set_watchdog(event, true);
    if (r < 0)
        return r;
    r = sd_login_monitor_new(NULL, &reaper->monitor);
    if (r < 0)
        return r;
    r = sd_event_add_io(event, &reaper->login, sd_login_monitor_get_fd(reaper->monitor),
                        (uint32_t)sd_login_monitor_get_events(reaper->monitor), on_login, reaper);
    if (r < 0)
        return r;
    /* An accuracy of 1 ms: the default of 250 ms is a good part of the second that there is. */
    r = sd_event_add_time(event, &reaper->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, reaper);
    if (r < 0)
        return r;
    /* Failed, to be started anew: better than a reaper that sees nothing. */
    r = sd_event_source_set_exit_on_failure(reaper->login, true);
    if (r < 0)
        return r;
    r = sd_event_source_set_exit_on_failure(reaper->timer, true);
    if (r < 0)
        return r;

    r = add_from_gate(reaper);
    if (r < 0)
        return r;
    r = look(reaper);
    if (r < 0)
        return r;
    sd_notify(0, "READY=1");
    r = sd_event_loop(event);
    sd_notify(0, "STOPPING=1");
    return r;
}

int main(int argc, char **argv)
{
    static const char help[] =
        "reaper\n\nEnds what sandbox users leave behind their last session. Started by\n"
        "pam-sandbox-reaper.service; see pam-sandbox-reaper(8).";
    struct reaper reaper = { 0 };
    sd_event *event = NULL;

    int r = program_options(argc, argv, help);
    if (r >= 0)
        return r;

    r = sd_event_default(&event);
    if (r >= 0)
        r = run(&reaper, event);
    if (r < 0)
        fprintf(stderr, SD_ERR "the reaper ends: %s\n", strerror(-r));
    done(&reaper);
    sd_event_unref(event);
    return r < 0 ? 1 : 0;
}
