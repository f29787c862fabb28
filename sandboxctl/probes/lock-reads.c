/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes of the user who is locked, and what they see of each other. */
#include "sandboxctl/probes/canary.h"
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/lock.h"
#include "sandboxctl/probes/network.h"

#include "conf/cleanup.h"
#include "lock/core.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define CANARY "PAM_SANDBOX_CANARY"

/* Its environment is what execve(2) was given. namespaces: unshare(2)'s. Returns once it runs, or
 * -1 with errno. */
static pid_t start_child(int namespaces)
{
    const char *const argv[] = { "sleep", "infinity", NULL };
    const char *const environment[] = { CANARY "=canary", NULL };
    int channel[2], error;
    pid_t pid;

    if (pipe2(channel, O_CLOEXEC) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        if (unshare(namespaces) == 0)
            execve("/usr/bin/sleep", (char *const *)argv, (char *const *)environment);
        error = errno;
        (void)!write(channel[1], &error, sizeof error);
        _exit(127);
    }
    close(channel[1]);
    /* Closed by execve(2). */
    const bool failed = read(channel[0], &error, sizeof error) == sizeof error;
    close(channel[0]);
    if (pid < 0 || !failed)
        return pid;
    waitpid(pid, NULL, 0);
    errno = error;
    return -1;
}

/* Bytes read, or a negative errno. */
static ssize_t read_file(const char *path, char *buffer, size_t size)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, buffer, size);

    return n < 0 ? -errno : n;
}

/* 0 or a negative errno; -ENODATA: there is no canary. */
static int read_environment(pid_t pid)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    char path[64], buffer[256];
    ssize_t n = 0;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    /* Descriptors are closed before the new environment is there: begin_new_exec() in fs/exec.c. */
    for (int i = 0; i < 1000 && n == 0; i++) {
        n = read_file(path, buffer, sizeof buffer);
        if (n == 0)
            nanosleep(&pause, NULL);
    }
    if (n < 0)
        return (int)n;
    return memmem(buffer, (size_t)n, CANARY, strlen(CANARY)) ? 0 : -ENODATA;
}

/* As a debugger does, of which Yama (kernel.yama.ptrace_scope) allows this on a child. */
static int trace(pid_t pid)
{
    return ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 ? -errno : 0;
}

static bool is_refused(int r)
{
    return r == -EPERM || r == -EACCES;
}

/* What of a child is seen: 0 or a negative errno. */
struct seen {
    int environment, memory;
};

/* Returns 0, or -1 with errno if there is no such child. */
static int look_into_child(int namespaces, struct seen *ret)
{
    pid_t pid = start_child(namespaces);

    if (pid < 0)
        return -1;
    ret->environment = read_environment(pid);
    ret->memory = trace(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return 0;
}

static enum attempt_result say_seen(const char *what, const struct seen *seen)
{
    if (seen->environment == 0 || seen->memory == 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: environment %s, memory %s", what,
                           seen->environment == 0 ? "read" : strerror(-seen->environment),
                           seen->memory == 0 ? "traced" : strerror(-seen->memory));
    if (is_refused(seen->environment) && is_refused(seen->memory))
        return attempt_say(ATTEMPT_REFUSED, "the environment and the memory of %s: %s", what,
                           strerror(-seen->memory));
    return attempt_say(ATTEMPT_UNTRIED, "%s: environment: %s, memory: %s", what,
                       strerror(-seen->environment), strerror(-seen->memory));
}

/* read-own [CONTAINER]: gets through when it reads the environment of a child or traces it; with an
 * argument, of one in a user namespace, as those of a container are. */
enum attempt_result attempt_read_own(int argc, char **argv)
{
    const bool contained = argc > 1;
    struct seen seen;

    (void)argv;
    if (look_into_child(contained ? CLONE_NEWUSER : 0, &seen) == 0)
        return say_seen(contained ? "a process in a container of its own"
                                  : "another process of its own",
                        &seen);
    return attempt_say(ATTEMPT_UNTRIED, "no child to look into: %m");
}

/* Returns whether a child that is ended by a signal left a core in the directory. */
static bool dump_child(const char *directory)
{
    struct rlimit limit;
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)prctl(PR_SET_DUMPABLE, 1);
        if (chdir(directory) == 0 && getrlimit(RLIMIT_CORE, &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            (void)setrlimit(RLIMIT_CORE, &limit);
            (void)raise(SIGSEGV);
        }
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WCOREDUMP(status);
}

/* dump-own: gets through when a child leaves its memory in a file as it is ended by a signal. */
enum attempt_result attempt_dump_own(int argc, char **argv)
{
    char pattern[256] = "", directory[] = "/tmp/pam-sandbox-check-XXXXXX";

    (void)argc;
    (void)argv;
    /* Elsewhere than in the directory of who dumps it would stay. */
    if (core_is_handed_on(pattern, sizeof pattern) != 0 || !*pattern || strchr(pattern, '/'))
        return attempt_say(ATTEMPT_UNTRIED, "a core goes to \"%s\"", pattern);
    if (!mkdtemp(directory))
        return attempt_say(ATTEMPT_UNTRIED, "no directory for a core: %m");
    const bool dumped = dump_child(directory);
    canary_remove_tree(directory);
    return dumped ? attempt_say(ATTEMPT_THROUGH, "the core of another process of its own: dumped")
                  : attempt_say(ATTEMPT_REFUSED, "another process of its own: no core");
}

/* Those of which the control could not be tried are left out, but for the first: nobody on this
 * host makes a user namespace, or a core is no file. Returns how many are left. */
static size_t leave_out(struct call *tried, struct call *control, size_t n)
{
    size_t left = 1;

    for (size_t i = 1; i < n; i++)
        if (control[i].result != ATTEMPT_UNTRIED) {
            tried[left] = tried[i];
            control[left++] = control[i];
        }
    return left;
}

void probe_lock_reads(struct probe_run *run)
{
    const struct place nobody = PLACE_NOBODY;
    struct call tried[] = { CALL("read-own"), CALL("read-own", "container"), CALL("dump-own") };
    struct call control[] = { CALL("read-own"), CALL("read-own", "container"), CALL("dump-own") };
    char pattern[256] = "";

    if (lock_is_off(run) ||
        kernel_policy_is_off(run,
                             "processes of lock-user read each other's environment and memory"))
        return;
    if (!run->config->host.deny_reads) {
        probe_skip(run, "deny-reads is false: processes of lock-user read each other's environment "
                        "and memory");
        return;
    }
    const struct place locked = PLACE_LOCKED(run);
    place_run(run, &locked, tried, 3);
    place_run(run, &nobody, control, 3);
    const size_t n = leave_out(tried, control, 3);
    const int handed_on = core_is_handed_on(pattern, sizeof pattern);
    if (handed_on < 0)
        probe_found(run, VERDICT_FAIL, "could not be tried: " CORE_PATTERN_FILE ": %s",
                    strerror(-handed_on));
    else if (handed_on > 0)
        probe_found(run, VERDICT_FAIL, "core dumps are handed to \"%s\"", pattern);
    else
        place_judge(run, target_worst(tried, n));
    place_judge_control(run, target_best(control, n));
}
