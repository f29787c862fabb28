/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/exec-run.h"

#include "conf/cleanup.h"
#include "entry/interface.h"
#include "sandboxctl/door.h"
#include "sandboxctl/exec-streams.h"
#include "sandboxctl/say.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <systemd/sd-varlink.h>

#define WHAT "cannot enter"

/* How long the door may take to say anything. A session may then take longer: it waits for its
 * turn. */
#define ANSWER_USEC (60 * UINT64_C(1000000))

struct run {
    sd_event *event;
    sd_varlink *link;
    struct exec_streams streams;
    sd_event_source *answer; /* until there is one */
    char *session;           /* NULL: the door has not said it yet */
    int status;
};

static bool get_integer(sd_json_variant *parameters, const char *name, int *ret)
{
    sd_json_variant *value = sd_json_variant_by_key(parameters, name);

    if (!value || !sd_json_variant_is_integer(value))
        return false;
    *ret = (int)sd_json_variant_integer(value);
    return true;
}

/* The last reply says how it ended. */
static int read_end(sd_json_variant *parameters)
{
    sd_json_variant *timed_out = sd_json_variant_by_key(parameters, "timedOut");
    int n;

    if (timed_out && sd_json_variant_is_boolean(timed_out) && sd_json_variant_boolean(timed_out)) {
        say_error(0, "the time was over, and the session was ended");
        return EXIT_TIMED_OUT;
    }
    if (get_integer(parameters, "exitStatus", &n))
        return n;
    if (get_integer(parameters, "signal", &n))
        return 128 + n;
    say_error(0, "the door does not say how the command ended");
    return EXIT_OWN_FAILURE;
}

static int on_reply(sd_varlink *link, sd_json_variant *parameters, const char *error,
                    sd_varlink_reply_flags_t flags, void *userdata)
{
    struct run *run = userdata;

    (void)link;
    run->answer = sd_event_source_disable_unref(run->answer);
    if (error) {
        /* Below what the session has said by then. */
        exec_streams_close(&run->streams);
        door_say_error(error, parameters, WHAT);
        run->status = EXIT_OWN_FAILURE;
    } else if (flags & SD_VARLINK_REPLY_CONTINUES) {
        sd_json_variant *session = sd_json_variant_by_key(parameters, "session");

        if (session && sd_json_variant_is_string(session) && !run->session)
            run->session = strdup(sd_json_variant_string(session));
        return 0;
    } else {
        exec_streams_close(&run->streams);
        run->status = read_end(parameters);
    }
    return sd_event_exit(run->event, 0);
}

static int on_no_answer(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct run *run = userdata;

    (void)source;
    (void)usec;
    say_error(0, WHAT ": the door does not answer; systemctl status pam-sandbox-entry.service says "
                      "why");
    exec_streams_close(&run->streams);
    return sd_event_exit(run->event, 0);
}

/* By a connection of its own: this one waits for the end. */
static int relay(const struct run *run, int signal)
{
    _cleanup_(sd_varlink_close_unrefp) sd_varlink *link = NULL;
    const char *error = NULL;
    int r = door_connect(&link);

    if (r < 0)
        return r;
    r = sd_varlink_callbo(link, ENTRY_INTERFACE ".Signal", NULL, &error,
                          SD_JSON_BUILD_PAIR_STRING("session", run->session),
                          SD_JSON_BUILD_PAIR_INTEGER("signal", signal));
    return r < 0 ? r : error ? -ESRCH : 0;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    struct run *run = userdata;

    (void)source;
    if (info->ssi_signo == SIGWINCH) {
        exec_streams_resize(&run->streams);
        return 0;
    }
    /* Without a session that could end by it, this ends, and what is being opened with it. */
    if (!run->session || relay(run, (int)info->ssi_signo) < 0) {
        run->status = 128 + (int)info->ssi_signo;
        exec_streams_close(&run->streams);
        return sd_event_exit(run->event, 0);
    }
    return 0;
}

static int watch_signals(struct run *run)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH };
    int r = 0;

    /* A pump finds out by itself. */
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; r >= 0 && i < sizeof(signals) / sizeof(signals[0]); i++)
        r = sd_event_add_signal(run->event, NULL, signals[i] | SD_EVENT_SIGNAL_PROCMASK, on_signal,
                                run);
    return r;
}

/* The caller's terminal, which programs ask about by these. */
static int add_terminal_variables(sd_json_variant **environment)
{
    static const char *const names[] = { "TERM", "COLORTERM", "NO_COLOR" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        _cleanup_free_ char *assignment = NULL;

        if (!value || value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789+-._")])
            continue;
        if (asprintf(&assignment, "%s=%s", names[i], value) < 0)
            return -ENOMEM;
        int r = sd_json_variant_append_arrayb(environment, SD_JSON_BUILD_STRING(assignment));
        if (r < 0)
            return r;
    }
    return 0;
}

static int build(const struct exec_command *command, const struct exec_streams *streams,
                 sd_json_variant **ret)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *environment = NULL;
    int r = sd_json_variant_new_array_strv(&environment, command->environment);

    if (r >= 0 && streams->is_terminal)
        r = add_terminal_variables(&environment);
    if (r < 0)
        return r;
    return sd_json_buildo(
        ret,
        SD_JSON_BUILD_PAIR_CONDITION(command->sandbox != NULL, "sandbox",
                                     SD_JSON_BUILD_STRING(command->sandbox)),
        SD_JSON_BUILD_PAIR_STRV("command", command->command),
        SD_JSON_BUILD_PAIR_CONDITION(command->directory != NULL, "directory",
                                     SD_JSON_BUILD_STRING(command->directory)),
        SD_JSON_BUILD_PAIR_VARIANT("environment", environment),
        SD_JSON_BUILD_PAIR_CONDITION(streams->is_terminal, "terminal", SD_JSON_BUILD_INTEGER(0)),
        SD_JSON_BUILD_PAIR_CONDITION(!streams->is_terminal, "streams",
                                     SD_JSON_BUILD_ARRAY(SD_JSON_BUILD_INTEGER(0),
                                                         SD_JSON_BUILD_INTEGER(1),
                                                         SD_JSON_BUILD_INTEGER(2))),
        SD_JSON_BUILD_PAIR_CONDITION(command->timeout_usec != 0, "timeoutUSec",
                                     SD_JSON_BUILD_UNSIGNED(command->timeout_usec)),
        SD_JSON_BUILD_PAIR_BOOLEAN("reap", command->reap));
}

static int ask(struct run *run, const struct exec_command *command)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *parameters = NULL;
    int r = build(command, &run->streams, &parameters);

    if (r < 0)
        return say_error(r, "cannot ask for a session; is all of it UTF-8?"), r;
    r = sd_varlink_set_allow_fd_passing_output(run->link, true);
    for (int i = 0; r >= 0 && i < (run->streams.is_terminal ? 1 : 3); i++)
        r = sd_varlink_push_dup_fd(run->link, run->streams.passed[i]);
    /* A command takes the time that it takes; by itself a call is given up after 45 seconds. */
    if (r >= 0)
        r = sd_varlink_set_relative_timeout(run->link, UINT64_MAX);
    if (r >= 0)
        r = sd_varlink_bind_reply(run->link, on_reply);
    sd_varlink_set_userdata(run->link, run);
    if (r >= 0)
        r = sd_varlink_observe(run->link, ENTRY_INTERFACE ".Enter", parameters);
    /* Its descriptors are let go of below. */
    if (r >= 0)
        r = sd_varlink_flush(run->link);
    if (r >= 0)
        r = sd_varlink_attach_event(run->link, run->event, 0);
    if (r >= 0)
        r = sd_event_add_time_relative(run->event, &run->answer, CLOCK_MONOTONIC, ANSWER_USEC, 0,
                                       on_no_answer, run);
    if (r >= 0)
        r = exec_streams_start(&run->streams);
    if (r < 0)
        return say_error(r, "cannot ask for a session"), r;
    return 0;
}

/* In the place of those that are closed, or what is opened next would be taken for one of them. */
static int open_closed_ones(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return -errno;
    return 0;
}

int exec_run(const struct exec_command *command)
{
    _cleanup_close_ int input = -1;
    struct run run = { .status = EXIT_OWN_FAILURE };

    if (open_closed_ones() < 0)
        return EXIT_OWN_FAILURE;
    if (command->input) {
        input = open(command->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (input < 0)
            return say_error(errno, "cannot open %s", command->input), EXIT_OWN_FAILURE;
    }
    if (door_connect(&run.link) < 0 || exec_streams_open(&run.streams, input) < 0)
        return EXIT_OWN_FAILURE;
    int r = sd_event_new(&run.event);
    if (r >= 0)
        r = watch_signals(&run);
    if (r < 0)
        return say_error(r, "cannot wait for anything"), EXIT_OWN_FAILURE;
    if (ask(&run, command) == 0) {
        r = sd_event_loop(run.event);
        if (r < 0)
            say_error(r, "cannot wait for the session");
    }
    sd_event_source_unref(run.answer);
    sd_varlink_close_unref(run.link);
    sd_event_unref(run.event);
    free(run.session);
    return run.status;
}
