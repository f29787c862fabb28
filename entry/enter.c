/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Enter and Signal. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "conf/cleanup.h"
#include "entry/interface.h"
#include "entry/request.h"
#include "entry/spawn.h"
#include "entry/streams.h"
#include "entry/worker.h"
#include "reaper/reap.h"

#define END_MSEC 30000
/* How long a signal waits for the session that it is for to begin. */
#define SIGNAL_MSEC 10000

struct entered {
    struct session session;
    const struct config_sandbox *sandbox;
    pid_t run0; /* 0: it has ended */
    sd_event_source *child;
    sd_event_source *timer;
    sd_event_source *door;
    bool reap;
    bool timed_out;
    bool by_terminal; /* which run0 is part of to the end */
    bool has_result;
    struct session_result result;
};

static void entered_free(struct entered *entered)
{
    if (!entered)
        return;
    sd_event_source_unref(entered->child);
    sd_event_source_unref(entered->timer);
    sd_event_source_unref(entered->door);
    session_done(&entered->session);
    free(entered);
}

static void entered_freep(struct entered **entered)
{
    entered_free(*entered);
}

/* run0 first, which might still be about to ask for the session. */
static int end(struct entered *entered)
{
    if (entered->run0 > 0) {
        kill(entered->run0, SIGKILL);
        (void)waitpid(entered->run0, NULL, 0);
        entered->run0 = 0;
    }
    int r = session_end(&entered->session, END_MSEC);
    if (r < 0)
        fprintf(stderr, SD_ERR "%s: something of the session does not end: %s\n",
                entered->session.unit, strerror(-r));
    return r;
}

void enter_abort(struct worker *worker)
{
    struct entered *entered = steal_ptr(worker->entered);

    if (!entered)
        return;
    (void)end(entered);
    if (entered->reap)
        (void)reap_user(entered->sandbox->uid, false, END_MSEC);
    entered_free(entered);
}

static int send_refused(sd_varlink *link, const char *parameter, const char *why)
{
    return sd_varlink_errorbo(link, ENTRY_ERROR_REFUSED,
                              SD_JSON_BUILD_PAIR_STRING("parameter", parameter),
                              SD_JSON_BUILD_PAIR_STRING("why", why));
}

static int send_not_opened(sd_varlink *link, const char *why)
{
    return sd_varlink_errorbo(link, ENTRY_ERROR_NOT_OPENED, SD_JSON_BUILD_PAIR_STRING("why", why));
}

static int send_result(struct worker *worker, struct entered *entered)
{
    const struct session_result *result = &entered->result;
    int r;

    if (entered->timed_out)
        return sd_varlink_replybo(worker->link, SD_JSON_BUILD_PAIR_STRING("session", worker->id),
                                  SD_JSON_BUILD_PAIR_BOOLEAN("timedOut", true));
    r = entered->has_result ? 0 : session_result(&entered->session, &entered->result);
    if (r < 0)
        return sd_varlink_error_errno(worker->link, r);
    if (!result->began)
        return send_not_opened(worker->link,
                               "the session was refused, or its first program could not be "
                               "executed; root finds why in the journal, and sandboxctl status "
                               "says whether sessions open");
    return sd_varlink_replybo(
        worker->link, SD_JSON_BUILD_PAIR_STRING("session", worker->id),
        SD_JSON_BUILD_PAIR(result->code == CLD_EXITED ? "exitStatus" : "signal",
                           SD_JSON_BUILD_INTEGER(result->status)));
}

static void finish(struct worker *worker)
{
    struct entered *entered = steal_ptr(worker->entered);

    if (entered->reap && !entered->timed_out)
        (void)end(entered);
    if (entered->reap) {
        /* -EBUSY: another session is open, whose end it will be. */
        int r = reap_user(entered->sandbox->uid, false, END_MSEC);
        if (r < 0 && r != -EBUSY)
            fprintf(stderr, SD_ERR "cannot reap \"%s\": %s\n", entered->sandbox->name,
                    strerror(-r));
    }
    (void)send_result(worker, entered);
    entered_free(entered);
    (void)sd_event_source_set_time_relative(worker->idle, 30 * UINT64_C(1000000));
    (void)sd_event_source_set_enabled(worker->idle, SD_EVENT_ONESHOT);
}

static int on_run0_ended(sd_event_source *source, const siginfo_t *info, void *userdata)
{
    struct worker *worker = userdata;

    (void)source;
    (void)info;
    worker->entered->run0 = 0;
    finish(worker);
    return 0;
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct worker *worker = userdata;

    (void)source;
    (void)usec;
    worker->entered->timed_out = true;
    worker->entered->child = sd_event_source_disable_unref(worker->entered->child);
    (void)end(worker->entered);
    finish(worker);
    return 0;
}

/* Takes the descriptors that the request names, and looks at them. Returns 1; 0 after a refusal. */
static int take_streams(sd_varlink *link, const struct request *request, uid_t owner,
                        int streams[static 3])
{
    const bool terminal = request->terminal != REQUEST_NO_FD;

    for (int i = 0; i < (terminal ? 1 : 3); i++) {
        const enum stream kind = terminal ? STREAM_TERMINAL : i == 0 ? STREAM_INPUT : STREAM_OUTPUT;
        const uint32_t index = terminal ? request->terminal : request->streams[i];
        const char *why;

        for (int j = 0; j < i && streams[i] < 0; j++)
            if (request->streams[j] == index)
                streams[i] = fcntl(streams[j], F_DUPFD_CLOEXEC, 3);
        /* Taken, as whoever is at the other end waits for the last one to close it. */
        if (streams[i] < 0)
            streams[i] = sd_varlink_take_fd(link, index);
        why = streams[i] < 0 ? "names a descriptor that was not passed"
                             : stream_refused(streams[i], kind, owner);
        if (why) {
            (void)send_refused(link, terminal ? "terminal" : "streams", why);
            return 0;
        }
    }
    return 1;
}

static int start_run0(struct worker *worker, struct entered *entered, const struct request *request,
                      int streams[static 3])
{
    const bool terminal = request->terminal != REQUEST_NO_FD;
    _cleanup_free_ char *user = NULL, *unit = NULL, *description = NULL;
    size_t n_command = 0, n_environment = 0, n = 0, m = 0;

    while (request->command && request->command[n_command])
        n_command++;
    while (request->environment && request->environment[n_environment])
        n_environment++;
    _cleanup_free_ const char **arguments =
        calloc(n_command + 2 * n_environment + 16, sizeof *arguments);
    _cleanup_free_ const char **environment = calloc(n_environment + 4, sizeof *environment);
    if (!arguments || !environment || asprintf(&user, "--user=%s", entered->sandbox->name) < 0 ||
        asprintf(&unit, "--unit=%s", entered->session.unit) < 0 ||
        asprintf(&description, "--description=Session of sandbox %s, for user %" PRIu32,
                 entered->sandbox->name, worker->caller->uid) < 0)
        return -ENOMEM;

    arguments[n++] = "/usr/bin/run0";
    arguments[n++] = "--no-ask-password";
    arguments[n++] = "--background=";
    /* session_result() tells by it whether the command began. */
    arguments[n++] = "--property=Type=exec";
    arguments[n++] = user;
    arguments[n++] = unit;
    /* In place of the command line, which anybody might read in the journal. */
    arguments[n++] = description;
    arguments[n++] = terminal ? "--pty" : "--pipe";
    arguments[n++] = "--";
    /* Whatever the caller chose is this program's to find and to do, as the sandbox: run0 looks for
     * a command itself, as root. */
    arguments[n++] = PKGLIBEXECDIR "/session-exec";
    if (request->directory) {
        arguments[n++] = "-C";
        arguments[n++] = request->directory;
    }
    environment[m++] = "PATH=/usr/sbin:/usr/bin";
    environment[m++] = "LANG=C.UTF-8";
    for (size_t i = 0; i < n_environment; i++)
        if (request_is_of_terminal(request->environment[i]))
            environment[m++] = request->environment[i];
        else {
            arguments[n++] = "-E";
            arguments[n++] = request->environment[i];
        }
    arguments[n++] = "--";
    for (size_t i = 0; i < n_command; i++)
        arguments[n++] = request->command[i];

    const struct spawn spawn = {
        .arguments = (char *const *)arguments,
        .environment = (char *const *)environment,
        .streams = { streams[0], streams[terminal ? 0 : 1], streams[terminal ? 0 : 2] },
        .is_session = terminal,
    };
    return spawn_start(&spawn, &entered->run0);
}

/* Whether there is room for one more session; then its unit is held. */
static int ask_door(struct worker *worker)
{
    int answer;

    if (send(worker->door, "", 1, MSG_NOSIGNAL) != 1 ||
        recv(worker->door, &answer, sizeof answer, 0) != sizeof answer)
        return -ECONNRESET; /* it was restarted in this moment */
    return answer;
}

/* It says how the command ended, or is gone and holds the unit no more. */
static int on_door(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct worker *worker = userdata;
    struct entered *entered = worker->entered;
    int r;

    (void)revents;
    if (recv(fd, &entered->result, sizeof entered->result, MSG_DONTWAIT) ==
        sizeof entered->result) {
        entered->has_result = true;
        /* run0 ends by itself, or with this process. */
        if (!entered->by_terminal)
            finish(worker);
        return 0;
    }
    (void)sd_event_source_set_enabled(source, SD_EVENT_OFF);
    r = session_hold(&entered->session);
    if (r < 0)
        fprintf(stderr, SD_WARNING "%s: how it ends may be lost: %s\n", entered->session.unit,
                strerror(-r));
    return 0;
}

static int open_session(struct worker *worker, const struct config_sandbox *sandbox,
                        const struct request *request, int streams[static 3])
{
    _cleanup_(entered_freep) struct entered *entered = calloc(1, sizeof *entered);
    int r;

    if (!entered)
        return -ENOMEM;
    entered->sandbox = sandbox;
    entered->reap = request->reap;
    entered->by_terminal = request->terminal != REQUEST_NO_FD;
    r = session_init(&entered->session, worker->caller->uid, worker->id);
    if (r >= 0)
        r = ask_door(worker);
    if (r < 0)
        return r;
    r = start_run0(worker, entered, request, streams);
    if (r < 0)
        return r;
    worker->entered = steal_ptr(entered);
    r = sd_event_add_child(worker->event, &worker->entered->child, worker->entered->run0, WEXITED,
                           on_run0_ended, worker);
    if (r >= 0)
        r = sd_event_add_io(worker->event, &worker->entered->door, worker->door, EPOLLIN, on_door,
                            worker);
    if (r >= 0 && request->timeout_usec > 0)
        r = sd_event_add_time_relative(worker->event, &worker->entered->timer, CLOCK_MONOTONIC,
                                       request->timeout_usec, 0, on_timeout, worker);
    if (r < 0)
        enter_abort(worker);
    return r < 0 ? r : 0;
}

/* At once, as its turn may take a while to come, and the caller knows by it that the door is there.
 */
static int say_session(struct worker *worker)
{
    int r = sd_varlink_notifybo(worker->link, SD_JSON_BUILD_PAIR_STRING("session", worker->id));

    return r < 0 ? r : sd_varlink_flush(worker->link);
}

int method_enter(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                 void *userdata)
{
    _cleanup_(request_done) struct request request = REQUEST_INIT;
    struct worker *worker = userdata;
    const struct config_sandbox *sandbox;
    struct request_refusal refusal;
    int streams[3] = { -1, -1, -1 }, r;

    r = sd_varlink_dispatch(link, parameters, request_fields, &request);
    if (r != 0)
        return r;
    r = worker_find_sandbox(worker, request.sandbox, &sandbox);
    if (r <= 0)
        return r;
    if (worker->has_entered) /* the unit is named after the connection */
        return send_refused(link, "connection", "has had a session; make another one");
    r = request_check(&request, worker->access->config, sandbox, &refusal);
    if (r < 0)
        return send_refused(link, refusal.parameter, refusal.why);

    r = take_streams(link, &request, worker->caller->uid, streams);
    if (r > 0) {
        worker->has_entered = true;
        r = flags & SD_VARLINK_METHOD_MORE ? say_session(worker) : 0;
        if (r >= 0)
            r = open_session(worker, sandbox, &request, streams);
        if (r == -EPERM && request.terminal != REQUEST_NO_FD)
            r = send_refused(link, "terminal", "is some session's already; make one");
        else if (r == -EUSERS)
            r = sd_varlink_error(link, ENTRY_ERROR_TOO_MANY, NULL);
        else if (r < 0)
            r = sd_varlink_error_errno(link, r);
    }
    for (int i = 0; i < 3; i++)
        if (streams[i] >= 0)
            close(streams[i]);
    if (!worker->entered)
        return r;

    (void)sd_event_source_set_enabled(worker->idle, SD_EVENT_OFF);
    fprintf(stderr, SD_INFO "user %" PRIu32 " (process %d) enters sandbox \"%s\": session %s\n",
            worker->caller->uid, (int)worker->caller->pid, sandbox->name, worker->id);
    return 0;
}

int method_signal(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                  void *userdata)
{
    struct {
        const char *session;
        uint32_t signal;
    } p = { 0 };
    static const sd_json_dispatch_field fields[] = {
        { "session", SD_JSON_VARIANT_STRING, sd_json_dispatch_const_string,
          offsetof(typeof(p), session), SD_JSON_MANDATORY },
        { "signal", SD_JSON_VARIANT_UNSIGNED, sd_json_dispatch_uint32, offsetof(typeof(p), signal),
          SD_JSON_MANDATORY },
        { 0 },
    };
    const struct timespec step = { .tv_nsec = 50000000 };
    struct worker *worker = userdata;
    int r;

    (void)flags;
    r = sd_varlink_dispatch(link, parameters, fields, &p);
    if (r != 0)
        return r;
    if (strlen(p.session) != SESSION_ID_LENGTH ||
        strspn(p.session, "0123456789abcdef") != SESSION_ID_LENGTH)
        return sd_varlink_error(link, ENTRY_ERROR_NO_SESSION, NULL);
    if (p.signal < 1 || p.signal > 31) /* those that every system has */
        return send_refused(link, "signal", "is none");

    /* The caller's own uid is part of the name. */
    _cleanup_free_ char *unit = session_unit(worker->caller->uid, p.session);
    if (!unit)
        return -ENOMEM;
    for (unsigned waited = 0;; waited += 50) {
        r = session_signal(unit, (int)p.signal);
        if (r != -ESRCH || waited >= SIGNAL_MSEC)
            break;
        nanosleep(&step, NULL);
    }
    if (r == -ESRCH)
        return sd_varlink_error(link, ENTRY_ERROR_NO_SESSION, NULL);
    return r < 0 ? sd_varlink_error_errno(link, r) : sd_varlink_reply(link, NULL);
}
