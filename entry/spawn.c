/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "conf/cleanup.h"

static int prepare(const struct spawn *spawn, pid_t parent)
{
    struct rlimit limit;
    sigset_t none;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return -errno;
    if (getppid() != parent) /* it died before that took effect */
        return -ESRCH;
    if (setsid() < 0)
        return -errno;
    for (int i = 0; i < 3; i++) {
        int fd = spawn->streams[i] >= 0 ? spawn->streams[i] : open("/dev/null", O_RDWR | O_CLOEXEC);

        if (fd < 0 || dup2(fd, i) < 0)
            return -errno;
    }
    /* Without CAP_SYS_ADMIN that fails where it is another session's. */
    if (spawn->is_session && ioctl(STDIN_FILENO, TIOCSCTTY, 0) < 0)
        return -errno;
    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    return close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ? -errno : 0;
}

int spawn_start(const struct spawn *spawn, pid_t *ret)
{
    const pid_t parent = getpid();
    int result[2], error = 0;
    pid_t pid;

    /* Above the three, as all descriptors here are. */
    if (pipe2(result, O_CLOEXEC) < 0)
        return -errno;
    pid = fork();
    if (pid < 0) {
        error = -errno;
        close(result[0]);
        close(result[1]);
        return error;
    }
    if (pid == 0) {
        error = prepare(spawn, parent);
        if (error == 0) {
            execve(spawn->arguments[0], spawn->arguments, spawn->environment);
            error = -errno;
        }
        _exit(write(result[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    close(result[1]);
    /* Nothing comes when it could be executed. */
    if (read(result[0], &error, sizeof error) == sizeof error)
        (void)waitpid(pid, NULL, 0);
    else
        error = 0;
    close(result[0]);
    if (error == 0)
        *ret = pid;
    return error;
}
