/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define ATTEMPT_PROGRAM PKGLIBEXECDIR "/attempt"

/* A session that has not begun in this time never will: systemd gives user@.service up after 90 s
 * by default. */
#define SESSION_SECONDS 100

static const char *const standard_environment[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG=C.UTF-8",
    NULL,
};

/* A vector of strings of its own. */
struct strings {
    char **list;
    size_t n;
};

static void strings_done(struct strings *strings)
{
    cleanup_strvp(&strings->list);
}

__attribute__((format(printf, 2, 3))) static int strings_add(struct strings *strings,
                                                             const char *format, ...)
{
    char **list = reallocarray(strings->list, strings->n + 2, sizeof *list);
    va_list arguments;
    int r;

    if (!list)
        return -ENOMEM;
    strings->list = list;

    va_start(arguments, format);
    r = vasprintf(&list[strings->n], format, arguments);
    va_end(arguments);
    if (r < 0) {
        list[strings->n] = NULL;
        return -ENOMEM;
    }
    list[++strings->n] = NULL;
    return 0;
}

static int strings_add_all(struct strings *strings, const char *const *list)
{
    for (; list && *list; list++) {
        int r = strings_add(strings, "%s", *list);
        if (r < 0)
            return r;
    }
    return 0;
}

static int command_line(const struct visit *visit, const struct place *place,
                        struct strings *arguments)
{
    int r;

    if (place->user) {
        if ((r = strings_add(arguments, "run0")) < 0 ||
            (r = strings_add(arguments, "--user=%s", place->user)) < 0 ||
            (r = strings_add(arguments, "--pipe")) < 0 ||
            (r = strings_add(arguments, "--background=")) < 0 ||
            (r = strings_add(arguments, "--no-ask-password")) < 0 ||
            (r = strings_add(arguments, "--unit=%s", visit->unit)) < 0)
            return r;
        for (const char *const *s = place->setenv; s && *s; s++)
            if ((r = strings_add(arguments, "--setenv=%s", *s)) < 0)
                return r;
        if ((r = strings_add(arguments, "--")) < 0 ||
            (r = strings_add_all(arguments, place->within)) < 0)
            return r;
    }
    if ((r = strings_add(arguments, ATTEMPT_PROGRAM)) < 0)
        return r;

    for (size_t i = 0; i < visit->n; i++) {
        if (i > 0 && (r = strings_add(arguments, ATTEMPT_SEPARATOR)) < 0)
            return r;
        if ((r = strings_add_all(arguments, visit->calls[i].argv)) < 0)
            return r;
    }
    return 0;
}

static int become(const struct place *place)
{
    int r = place->prepare ? place->prepare(place->userdata) : 0;

    if (r < 0)
        return r;
    if (place->uid == 0)
        return 0;
    if (place->privileged && prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) < 0)
        return -errno;
    if (setgroups(0, NULL) < 0 || setresgid(place->gid, place->gid, place->gid) < 0 ||
        setresuid(place->uid, place->uid, place->uid) < 0)
        return -errno;
    /* Where fs.suid_dumpable is not 0, the change of ids was not enough. */
    if (place->resident && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return -errno;
    return 0;
}

/* The attempts, in this very process; returns the first one's result. */
static int run_resident(const struct visit *visit)
{
    int first = ATTEMPT_UNTRIED;

    /* Not of use to it: the other sessions' pipes, which it would keep open. */
    close_range(STDERR_FILENO + 1, ~0U, 0);
    for (size_t i = 0; i < visit->n; i++) {
        char **argv = (char **)visit->calls[i].argv;
        int argc = 0, result;

        while (argv[argc])
            argc++;
        result = visit->n == 1 ? attempt_run(argc, argv) : attempt_run_forked(argc, argv);
        if (i == 0)
            first = result;
    }
    return first;
}

/* In the new process; does not return. */
__attribute__((noreturn)) static void start(const struct visit *visit, const struct place *place,
                                            char *const *arguments, char *const *environment,
                                            int in, int out, int err)
{
    sigset_t none;
    int r;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);

    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(ATTEMPT_UNTRIED);

    if (!place->user) {
        r = become(place);
        if (r < 0) {
            errno = -r;
            fprintf(stderr, "cannot become uid %u: %m\n", (unsigned)place->uid);
            _exit(ATTEMPT_UNTRIED);
        }
    }
    /* After the change of ids, which takes it away: PR_SET_PDEATHSIG(2const). */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (place->resident)
        _exit(run_resident(visit));

    execvpe(arguments[0], arguments, environment);
    fprintf(stderr, "cannot run %s: %m\n", arguments[0]);
    _exit(ATTEMPT_UNTRIED);
}

static void set_deadline(struct visit *visit, time_t seconds)
{
    clock_gettime(CLOCK_MONOTONIC, &visit->deadline);
    visit->deadline.tv_sec += seconds;
}

void visit_begin(struct probe_run *run, const struct place *place, struct call *calls, size_t n,
                 struct visit *visit)
{
    _cleanup_(strings_done) struct strings arguments = {}, environment = {};
    int in[2] = { -EBADF, -EBADF }, out[2] = { -EBADF, -EBADF }, r;
    static unsigned number;

    *visit = (struct visit){
        .calls = calls,
        .n = n,
        .pid = -1,
        .in = -EBADF,
        .out = -EBADF,
        .err = -EBADF,
    };
    for (size_t i = 0; i < n; i++) {
        calls[i].result = ATTEMPT_UNTRIED;
        calls[i].text[0] = '\0';
    }
    if (place->user)
        snprintf(visit->unit, sizeof visit->unit, "pam-sandbox-check-%s-%d-%u", run->token,
                 (int)getpid(), number++);
    set_deadline(visit, SESSION_SECONDS + ATTEMPT_SECONDS * n);

    if (command_line(visit, place, &arguments) < 0 ||
        strings_add_all(&environment, standard_environment) < 0 ||
        strings_add_all(&environment, place->environment) < 0) {
        r = -ENOMEM;
        goto finish;
    }

    visit->err = memfd_create("stderr", MFD_CLOEXEC);
    if (visit->err < 0 || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) {
        r = -errno;
        goto finish;
    }

    visit->pid = fork();
    if (visit->pid == 0)
        start(visit, place, arguments.list, environment.list, in[0], out[1], visit->err);
    if (visit->pid < 0) {
        r = -errno;
        goto finish;
    }
    visit->in = steal_fd(&in[1]);
    visit->out = steal_fd(&out[0]);
    r = 0;

finish:
    cleanup_closep(&in[0]);
    cleanup_closep(&in[1]);
    cleanup_closep(&out[0]);
    cleanup_closep(&out[1]);
    if (r < 0) {
        errno = -r;
        for (size_t i = 0; i < n; i++)
            snprintf(calls[i].text, sizeof calls[i].text, "no process could be started: %m");
    }
}

/* Milliseconds until the deadline, for poll(2). */
static int time_left(const struct visit *visit)
{
    struct timespec now;
    long msec;

    clock_gettime(CLOCK_MONOTONIC, &now);
    msec = (visit->deadline.tv_sec - now.tv_sec) * 1000 +
           (visit->deadline.tv_nsec - now.tv_nsec) / 1000000;
    return msec > 0 ? (int)msec : 0;
}

/* Reads one line of what the attempts print, without its newline. */
static bool read_line(struct visit *visit, char *line, size_t size)
{
    for (;;) {
        struct pollfd poll_fd = { .fd = visit->out, .events = POLLIN };
        char *newline = memchr(visit->buffer, '\n', visit->filled);
        ssize_t n;

        /* A line that is longer than the buffer comes in pieces. */
        if (newline || visit->filled == sizeof visit->buffer) {
            size_t length = newline ? (size_t)(newline - visit->buffer) : visit->filled;
            size_t used = newline ? length + 1 : length;

            snprintf(line, size, "%.*s", (int)length, visit->buffer);
            visit->filled -= used;
            memmove(visit->buffer, visit->buffer + used, visit->filled);
            return true;
        }

        /* Nor may a session that never stops printing hold the check. */
        if (visit->out < 0 || time_left(visit) == 0 || poll(&poll_fd, 1, time_left(visit)) <= 0)
            return false;
        n = read(visit->out, visit->buffer + visit->filled, sizeof visit->buffer - visit->filled);
        if (n <= 0)
            return false;
        visit->filled += n;
    }
}

/* Whether the line is a result; then the next call has it. */
static bool take_result(struct visit *visit, const char *line)
{
    for (enum attempt_result r = ATTEMPT_THROUGH; r <= ATTEMPT_UNTRIED; r++) {
        size_t length = strlen(attempt_result_name(r));

        if (strncmp(line, attempt_result_name(r), length) != 0 ||
            strncmp(line + length, ": ", 2) != 0 || visit->answered >= visit->n)
            continue;
        visit->calls[visit->answered].result = r;
        snprintf(visit->calls[visit->answered].text, sizeof visit->calls->text, "%s",
                 line + length + 2);
        visit->answered++;
        return true;
    }
    return false;
}

bool visit_line(struct visit *visit, char *line, size_t size)
{
    while (read_line(visit, line, size))
        if (!take_result(visit, line))
            return true;
    return false;
}

static void stop_unit(const char *unit)
{
    char output[256];

    /* run0 has gone, but its unit is systemd's. */
    attempt_capture((const char *const[]){ "systemctl", "stop", "--no-block", unit, NULL }, "",
                    output, sizeof output);
}

/* Waits for the process; true: it ended by itself before the deadline. */
static bool wait_process(struct visit *visit, int *status)
{
    const struct timespec pause = { .tv_nsec = 5000000 };

    for (;;) {
        pid_t pid = waitpid(visit->pid, status, WNOHANG);

        if (pid == visit->pid)
            return true;
        if (pid < 0 && errno != EINTR)
            return false;
        if (time_left(visit) == 0)
            break;
        nanosleep(&pause, NULL);
    }
    kill(visit->pid, SIGKILL);
    waitpid(visit->pid, status, 0);
    return false;
}

static void explain_silence(struct visit *visit, bool in_time, int status)
{
    char words[512] = "", how[64];
    const char *last;
    ssize_t n;

    n = pread(visit->err, words, sizeof words - 1, 0);
    words[n > 0 ? n : 0] = '\0';
    last = attempt_last_line(words);

    if (!in_time)
        snprintf(how, sizeof how, "took too long");
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));

    for (size_t i = visit->answered; i < visit->n; i++)
        snprintf(visit->calls[i].text, sizeof visit->calls->text,
                 "%s %s and said nothing of the attempt%s%s", *visit->unit ? "the session" : "it",
                 how, *last ? ": " : "", last);
}

void visit_wait(struct visit *visit)
{
    bool in_time;
    char line[1024];
    int status = 0;

    if (visit->pid < 0)
        return;

    while (visit_line(visit, line, sizeof line))
        ;
    in_time = wait_process(visit, &status);
    if (!in_time && *visit->unit)
        stop_unit(visit->unit);
    if (visit->answered < visit->n)
        explain_silence(visit, in_time, status);

    cleanup_closep(&visit->in);
    cleanup_closep(&visit->out);
    cleanup_closep(&visit->err);
    visit->pid = -1;
}

void visit_end(struct visit *visit)
{
    if (visit->in >= 0)
        close(steal_fd(&visit->in));
    visit_wait(visit);
}

void visit_ask(struct visit *visit, struct call *call)
{
    char line[4096], reply[1024];
    size_t length = 0;

    call->result = ATTEMPT_UNTRIED;
    call->text[0] = '\0';
    for (const char *const *word = call->argv; *word && length < sizeof line; word++)
        length += snprintf(line + length, sizeof line - length, "%s%s", *word,
                           word[1] ? BATCH_SEPARATOR : "\n");
    if (length >= sizeof line) {
        snprintf(call->text, sizeof call->text, "too many words");
        return;
    }

    visit->calls = call;
    visit->n = 1;
    visit->answered = 0;
    set_deadline(visit, ATTEMPT_SECONDS + SESSION_SECONDS);
    if (visit->broken || write(visit->in, line, length) != (ssize_t)length)
        visit->broken = true;
    /* To the end of the answer, so that nothing of it is taken for the next one's. */
    do
        if (!visit->broken && !read_line(visit, reply, sizeof reply))
            visit->broken = true;
    while (!visit->broken && (take_result(visit, reply) || strcmp(reply, BATCH_DONE) != 0));

    if (visit->broken)
        call->result = ATTEMPT_UNTRIED;
    if (visit->broken || visit->answered == 0)
        snprintf(call->text, sizeof call->text,
                 "the session ended, or took too long, and said nothing of the attempt");
    visit->n = 0;
}

void visit_abandon(struct visit *visit)
{
    visit->n = 0;
    set_deadline(visit, 0);
    visit_end(visit);
}

void place_run(struct probe_run *run, const struct place *place, struct call *calls, size_t n)
{
    struct visit visit;

    if (place->shared && run->session) {
        for (size_t i = 0; i < n; i++)
            visit_ask(run->session, &calls[i]);
        return;
    }
    visit_begin(run, place, calls, n, &visit);
    visit_end(&visit);
}

struct call *place_run_each(struct probe_run *run, const struct place *place, const char *attempt,
                            char *const *words, size_t n)
{
    /* The vectors that the calls point to stand behind them. */
    struct call *calls = calloc(n + 1, sizeof *calls + 3 * sizeof(char *));
    const char **argv = calls ? (const char **)(calls + n + 1) : NULL;

    if (!calls)
        abort();
    for (size_t i = 0; i < n; i++, argv += 3) {
        argv[0] = attempt;
        argv[1] = words[i];
        calls[i].argv = argv;
        calls[i].result = ATTEMPT_UNTRIED;
    }
    if (n > 0)
        place_run(run, place, calls, n);
    return calls;
}

void place_judge(struct probe_run *run, const struct call *call)
{
    switch (call->result) {
    case ATTEMPT_REFUSED:
        probe_found(run, VERDICT_OK, "%s", call->text);
        break;
    case ATTEMPT_THROUGH:
        probe_found(run, VERDICT_FAIL, "%s", call->text);
        break;
    case ATTEMPT_UNTRIED:
        probe_found(run, VERDICT_FAIL, "could not be tried: %s",
                    *call->text ? call->text : "what it is tried on did not start");
        break;
    }
}

void place_judge_control(struct probe_run *run, const struct call *call)
{
    switch (call->result) {
    case ATTEMPT_THROUGH:
        probe_found_control(run, VERDICT_OK, "%s", call->text);
        break;
    case ATTEMPT_REFUSED:
        probe_found_control(run, VERDICT_FAIL, "refused where it must work: %s", call->text);
        break;
    case ATTEMPT_UNTRIED:
        probe_found_control(run, VERDICT_FAIL, "could not be tried: %s",
                            *call->text ? call->text : "what it is tried on did not start");
        break;
    }
}
