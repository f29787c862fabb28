/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* entry: the door. Accepts connections, turns away who may enter nothing or has too many, and gives
 * each of the others a process of its own. It reads nothing that a caller sent. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "conf/cleanup.h"
#include "conf/program.h"
#include "entry/access.h"
#include "entry/caller.h"
#include "entry/crowd.h"
#include "entry/interface.h"
#include "entry/session.h"
#include "entry/worker.h"

/* Milliseconds that what a worker left behind may take to end. */
#define END_MSEC 30000

/* Taken at once; what else waits comes with the next turn. */
#define ACCEPT_BURST 64

/* How many of those that were turned away are kept open until they close or others come: who has
 * not yet written its call when this is closed learns nothing but that. */
#define TURNED_AWAY_MAX 64

/* Sessions that are being opened at a time, by all and by one user. While one is, PAM's modules
 * have a connection of root's to the bus as well as run0, and that has few (entry/crowd.h). */
#define OPENING_MAX 16
#define OPENING_USER_MAX 12

struct child;

struct door {
    sd_event *event;
    int listener;
    sd_event_source *turned_away[TURNED_AWAY_MAX]; /* each has its connection */
    size_t next_turned_away;
    struct access access;
    struct crowd crowd;
    struct child *opening[OPENING_MAX];
    struct child *waiting; /* until others are opened; who came first is first */
    sd_bus *bus; /* one for all sessions: run0 has one for each, and there are not many more */
};

struct child {
    struct door *door;
    uid_t uid;
    char id[SESSION_ID_LENGTH + 1];
    int socket; /* to the process, worker_run() */
    sd_event_source *asks;
    struct session session;
    bool has_session;
    sd_bus_slot *holding; /* the call that has no answer yet */
    sd_bus_slot *changes; /* what systemd says of the unit */
    struct session_result result;
    struct child *next; /* among those that wait */
};

static void child_free(struct child *child)
{
    if (!child)
        return;
    sd_event_source_unref(child->asks);
    sd_bus_slot_unref(child->holding);
    sd_bus_slot_unref(child->changes);
    session_done(&child->session);
    if (child->socket >= 0)
        close(child->socket);
    free(child);
}

static void child_freep(struct child **child)
{
    child_free(*child);
}

/* With the connection go the descriptors that were passed in the call, and were not taken: as long
 * as it is there, so is the write end of the caller's pipe. */
static int on_turned_away(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    sd_event_source **kept = userdata;

    (void)source;
    (void)fd;
    (void)revents;
    *kept = sd_event_source_unref(*kept);
    return 0;
}

/* The whole of the answer, in the format of varlink.org/Method-Call, to a call that is not read. */
static void turn_away(struct door *door, int connection, const char *error)
{
    sd_event_source **kept = &door->turned_away[door->next_turned_away++ % TURNED_AWAY_MAX];
    _cleanup_close_ int copy = fcntl(connection, F_DUPFD_CLOEXEC, 3);
    char reply[128];
    int n = snprintf(reply, sizeof reply, "{\"error\":\"%s\",\"parameters\":{}}", error);

    /* With its NUL, which ends a message. Who does not read it does without. */
    (void)send(connection, reply, (size_t)n + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    *kept = sd_event_source_unref(*kept);
    if (sd_event_add_io(door->event, kept, copy, EPOLLRDHUP, on_turned_away, kept) < 0)
        return;
    if (sd_event_source_set_io_fd_own(*kept, true) < 0)
        *kept = sd_event_source_unref(*kept);
    else
        (void)steal_fd(&copy);
}

/* In a process of its own, as that waits for systemd. */
static void end_session(const struct child *child)
{
    _cleanup_(session_done) struct session session = { 0 };

    pid_t pid = fork();
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    if (pid != 0)
        return;
    /* Once more, so that nobody has to wait for it. */
    if (fork() == 0 && session_init(&session, child->uid, child->id) >= 0)
        (void)session_end(&session, END_MSEC);
    _exit(0);
}

static void answer(struct child *child, int result)
{
    (void)send(child->socket, &result, sizeof result, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool has_turn(const struct door *door, const struct child *child)
{
    unsigned all = 0, own = 0;

    for (size_t i = 0; i < OPENING_MAX; i++)
        if (door->opening[i]) {
            all++;
            own += door->opening[i]->uid == child->uid;
        }
    return all < OPENING_MAX && own < OPENING_USER_MAX;
}

static int hold(struct child *child);

/* Lets those begin for whom there is a place now. */
static void next_turns(struct door *door)
{
    for (struct child **p = &door->waiting; *p;) {
        struct child *child = *p;

        if (!has_turn(door, child)) {
            p = &child->next;
            continue;
        }
        *p = child->next;
        int r = hold(child);
        if (r < 0)
            answer(child, r);
    }
}

static void forget(struct door *door, const struct child *child)
{
    for (struct child **p = &door->waiting; *p; p = &(*p)->next)
        if (*p == child) {
            *p = child->next;
            break;
        }
    for (size_t i = 0; i < OPENING_MAX; i++)
        if (door->opening[i] == child)
            door->opening[i] = NULL;
}

/* The job is over when the command was executed, or will not be (systemd.service(5), Type=exec). */
static int on_job_removed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct door *door = userdata;
    const char *unit;

    (void)error;
    if (sd_bus_message_read(message, "uoss", NULL, NULL, &unit, NULL) < 0)
        return 0;
    for (size_t i = 0; i < OPENING_MAX; i++)
        if (door->opening[i] && strcmp(door->opening[i]->session.unit, unit) == 0) {
            door->opening[i] = NULL;
            next_turns(door);
            break;
        }
    return 0;
}

static int on_held(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct child *child = userdata;

    (void)error;
    child->holding = sd_bus_slot_unref(child->holding);
    answer(child,
           sd_bus_message_is_method_error(message, NULL) ? -sd_bus_message_get_errno(message) : 0);
    return 0;
}

/* The worker then need not wait until run0 has heard of it and asked what it was. */
static int on_changed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct child *child = userdata;

    (void)error;
    if (session_read_change(message, &child->result) > 0)
        (void)send(child->socket, &child->result, sizeof child->result,
                   MSG_NOSIGNAL | MSG_DONTWAIT);
    return 0;
}

static int open_bus(struct door *door)
{
    int r = 0;

    if (door->bus && sd_bus_is_open(door->bus) <= 0)
        door->bus = sd_bus_flush_close_unref(door->bus);
    if (!door->bus) {
        r = sd_bus_open_system(&door->bus);
        if (r >= 0)
            r = sd_bus_attach_event(door->bus, door->event, 0);
        if (r >= 0)
            r = sd_bus_match_signal_async(door->bus, NULL, SESSION_SERVICE,
                                          "/org/freedesktop/systemd1", SESSION_SERVICE ".Manager",
                                          "JobRemoved", on_job_removed, NULL, door);
        if (r >= 0)
            r = sd_bus_call_method_async(door->bus, NULL, SESSION_SERVICE,
                                         "/org/freedesktop/systemd1", SESSION_SERVICE ".Manager",
                                         "Subscribe", NULL, NULL, NULL);
    }
    return r;
}

static int hold(struct child *child)
{
    struct door *door = child->door;
    int r;

    r = open_bus(door);
    for (size_t i = 0; r >= 0 && i < OPENING_MAX; i++)
        if (!door->opening[i]) {
            door->opening[i] = child;
            break;
        }
    if (r >= 0)
        r = sd_bus_match_signal_async(door->bus, &child->changes, SESSION_SERVICE,
                                      child->session.path, "org.freedesktop.DBus.Properties",
                                      "PropertiesChanged", on_changed, NULL, child);
    if (r >= 0)
        r = sd_bus_call_method_async(door->bus, &child->holding, SESSION_SERVICE,
                                     child->session.path, SESSION_UNIT_INTERFACE, "Ref", on_held,
                                     child, NULL);
    return r < 0 ? r : 0;
}

static int begin(struct child *child)
{
    struct door *door = child->door;
    struct child **last = &door->waiting;

    if (child->has_session)
        return -EEXIST;
    int r = crowd_open_session(&door->crowd, child->uid);
    if (r < 0)
        return r;
    child->has_session = true;
    r = session_init(&child->session, child->uid, child->id);
    if (r < 0)
        return r;
    while (*last)
        last = &(*last)->next;
    *last = child;
    next_turns(door);
    return 0;
}

static int on_asked(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct child *child = userdata;
    char byte;

    (void)revents;
    if (recv(fd, &byte, 1, MSG_DONTWAIT) != 1)
        return sd_event_source_set_enabled(source, SD_EVENT_OFF); /* it is about to end */
    int r = begin(child);
    if (r < 0)
        answer(child, r);
    return 0;
}

static void let_go(struct child *child)
{
    crowd_close_session(&child->door->crowd, child->uid);
    if (child->door->bus && child->session.path)
        (void)sd_bus_call_method_async(child->door->bus, NULL, SESSION_SERVICE, child->session.path,
                                       SESSION_UNIT_INTERFACE, "Unref", NULL, NULL, NULL);
}

static int on_worker_ended(sd_event_source *source, const siginfo_t *info, void *userdata)
{
    struct child *child = userdata;

    /* By itself it leaves nothing. */
    if (info->si_code != CLD_EXITED) {
        fprintf(stderr, SD_ERR "process %d, for user %" PRIu32 ", was ended by signal %d\n",
                (int)info->si_pid, child->uid, info->si_status);
        end_session(child);
    }
    struct door *door = child->door;
    if (child->has_session)
        let_go(child);
    crowd_leave(&door->crowd, child->uid);
    forget(door, child);
    child_free(child);
    next_turns(door);
    sd_event_source_unref(source);
    return 0;
}

static int run_worker(struct door *door, int connection, int to_door, struct caller *caller,
                      const char *id)
{
    int kept[] = { connection, caller->pidfd, to_door }, r;
    FILE *adjust;

    /* Nothing of what the other processes have: these become 3, 4 and 5, by way of numbers that
     * none of them has. */
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, 6);
        if (kept[i] < 0)
            return -errno;
    }
    for (int i = 0; i < 3; i++)
        if (dup3(kept[i], 3 + i, O_CLOEXEC) < 0)
            return -errno;
    caller->pidfd = 4;
    closefrom(6);
    /* Rather this one than the door. */
    adjust = fopen("/proc/self/oom_score_adj", "we");
    if (adjust) {
        fputs("500", adjust);
        fclose(adjust);
    }
    r = worker_run(3, 5, caller, &door->access, id);
    if (r < 0)
        fprintf(stderr, SD_ERR "a connection of user %" PRIu32 " ends: %s\n", caller->uid,
                strerror(-r));
    return r;
}

static int start_worker(struct door *door, int connection, struct caller *caller)
{
    _cleanup_(child_freep) struct child *child = calloc(1, sizeof *child);
    _cleanup_close_ int to_door = -1;
    sd_event_source *source = NULL;
    int pair[2];
    pid_t pid;
    int r;

    if (!child)
        return -ENOMEM;
    child->door = door;
    child->uid = caller->uid;
    child->socket = -1;
    r = session_make_id(child->id);
    if (r < 0)
        return r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    child->socket = pair[0];
    to_door = pair[1];
    r = sd_event_add_io(door->event, &child->asks, child->socket, EPOLLIN, on_asked, child);
    if (r < 0)
        return r;
    pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        _exit(run_worker(door, connection, to_door, caller, child->id) < 0);
    r = sd_event_add_child(door->event, &source, pid, WEXITED, on_worker_ended, child);
    if (r < 0) {
        kill(pid, SIGKILL);
        return r;
    }
    /* The source is let go of by its handler. */
    steal_ptr(child);
    return 0;
}

static void admit(struct door *door, int connection)
{
    _cleanup_(caller_done) struct caller caller = CALLER_INIT;
    int r;

    r = caller_of(connection, &caller);
    if (r == -ESRCH) /* it did not wait for an answer */
        return;
    if (r < 0) {
        fprintf(stderr, SD_ERR "cannot tell who connects: %s\n", strerror(-r));
        return;
    }
    (void)access_refresh(&door->access, "", false);
    if (!access_may_enter_any(&door->access, &caller)) {
        /* It, or its group, may be new. */
        (void)access_refresh(&door->access, "", true);
        if (!access_may_enter_any(&door->access, &caller)) {
            turn_away(door, connection, ENTRY_ERROR_NOT_ALLOWED);
            return;
        }
    }
    r = crowd_enter(&door->crowd, caller.uid);
    if (r < 0) {
        turn_away(door, connection, ENTRY_ERROR_TOO_MANY);
        return;
    }
    r = start_worker(door, connection, &caller);
    if (r < 0) {
        fprintf(stderr, SD_ERR "cannot start a process for user %" PRIu32 ": %s\n", caller.uid,
                strerror(-r));
        crowd_leave(&door->crowd, caller.uid);
        turn_away(door, connection, ENTRY_ERROR_TOO_MANY);
    }
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct door *door = userdata;

    (void)source;
    (void)revents;
    for (unsigned i = 0; i < ACCEPT_BURST; i++) {
        _cleanup_close_ int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (connection < 0)
            return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ? 0 : -errno;
        admit(door, connection);
    }
    return 0;
}

static int run(struct door *door)
{
    sd_event_source *source = NULL;
    int r;

    r = sd_event_set_signal_exit(door->event, true);
    if (r < 0)
        return r;
    r = sd_event_set_watchdog(door->event, true);
    if (r < 0)
        return r;
    r = access_refresh(&door->access, "", false);
    if (r < 0)
        fprintf(stderr, SD_ERR "cannot read what is in force: %s\n", strerror(-r));
    r = sd_event_add_io(door->event, &source, door->listener, EPOLLIN, on_connection, door);
    if (r < 0)
        return r;
    r = sd_event_source_set_exit_on_failure(source, true);
    if (r >= 0) {
        sd_notify(0, "READY=1");
        r = sd_event_loop(door->event);
        sd_notify(0, "STOPPING=1");
    }
    sd_event_source_unref(source);
    return r;
}

int main(int argc, char **argv)
{
    static const char help[] =
        "entry\n\nLets those enter a sandbox whom its configuration names. Started by\n"
        "pam-sandbox-entry.socket; see pam-sandbox-entry(8).";
    struct door door = { 0 };
    sigset_t child;

    int r = program_options(argc, argv, help);
    if (r >= 0)
        return r;
    if (sd_listen_fds(true) != 1 ||
        sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, NULL, 0) <= 0) {
        fprintf(stderr, SD_ERR "is started by pam-sandbox-entry.socket, with its one socket\n");
        return 2;
    }

    door.listener = SD_LISTEN_FDS_START;
    /* A burst ends when nobody waits any more. */
    if (fcntl(door.listener, F_SETFL, O_NONBLOCK) < 0)
        return 1;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    r = sd_event_new(&door.event);
    if (r >= 0)
        r = run(&door);
    if (r < 0)
        fprintf(stderr, SD_ERR "the door closes: %s\n", strerror(-r));
    for (size_t i = 0; i < TURNED_AWAY_MAX; i++)
        sd_event_source_unref(door.turned_away[i]);
    access_done(&door.access);
    crowd_done(&door.crowd);
    sd_bus_flush_close_unref(door.bus);
    sd_event_unref(door.event);
    return r < 0 ? 1 : 0;
}
