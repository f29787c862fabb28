/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes of the user who is locked, and what they see of each other. */
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/lock.h"

#include "conf/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define CANARY "PAM_SANDBOX_CANARY"

/* Its environment is what execve(2) was given. Returns once that is so. */
static pid_t start_child(void)
{
    const char *const argv[] = { "sleep", "infinity", NULL };
    const char *const environment[] = { CANARY "=canary", NULL };
    int channel[2], r;
    pid_t pid;
    char byte;

    if (pipe2(channel, O_CLOEXEC) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        execve("/usr/bin/sleep", (char *const *)argv, (char *const *)environment);
        _exit(127);
    }
    close(channel[1]);
    /* Closed by execve(2). */
    r = (int)read(channel[0], &byte, 1);
    close(channel[0]);
    return r == 0 ? pid : -1;
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

/* read-own: gets through when it reads the environment of a child or traces it. */
enum attempt_result attempt_read_own(int argc, char **argv)
{
    int environment, memory;
    pid_t pid = start_child();

    (void)argc;
    (void)argv;
    if (pid < 0)
        return attempt_say(ATTEMPT_UNTRIED, "no child to look into: %m");
    environment = read_environment(pid);
    memory = trace(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);

    if (environment == 0 || memory == 0)
        return attempt_say(ATTEMPT_THROUGH, "another process of its own: environment %s, memory %s",
                           environment == 0 ? "read" : strerror(-environment),
                           memory == 0 ? "traced" : strerror(-memory));
    if (is_refused(environment) && is_refused(memory))
        return attempt_say(ATTEMPT_REFUSED,
                           "the environment and the memory of another process of "
                           "its own: %s",
                           strerror(-memory));
    return attempt_say(ATTEMPT_UNTRIED, "another process of its own: environment: %s, memory: %s",
                       strerror(-environment), strerror(-memory));
}

void probe_lock_reads(struct probe_run *run)
{
    const struct place nobody = PLACE_NOBODY;
    struct call tried[] = { CALL("read-own") }, control[] = { CALL("read-own") };

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
    place_run(run, &locked, tried, 1);
    place_run(run, &nobody, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}
