/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reaper/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/cleanup.h"

#define STEP_MSEC 5

static void gate_name(char name[static 16], uid_t uid)
{
    snprintf(name, 16, "%u", (unsigned)uid);
}

static int open_directory(void)
{
    if (mkdir(GATE_DIR, 0700) < 0 && errno != EEXIST)
        return -errno;
    int fd = open(GATE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* flock(2) has no timeout, and a signal to end the wait would be the business of the program that a
 * PAM module is loaded into; hence small steps. */
static int lock_within(int fd, int operation, unsigned timeout_msec)
{
    const struct timespec step = { .tv_nsec = STEP_MSEC * 1000000L };
    unsigned waited = 0;

    while (flock(fd, operation | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK)
            return -errno;
        if (waited >= timeout_msec)
            return -ETIMEDOUT;
        nanosleep(&step, NULL);
        waited += STEP_MSEC;
    }
    return 0;
}

static int gate_lock(uid_t uid, int operation, unsigned timeout_msec)
{
    char name[16];

    gate_name(name, uid);
    _cleanup_close_ int directory = open_directory();
    if (directory < 0)
        return directory;
    _cleanup_close_ int fd =
        openat(directory, name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int r = lock_within(fd, operation, timeout_msec);
    if (r < 0)
        return r;
    return steal_fd(&fd);
}

int gate_enter(uid_t uid, unsigned timeout_msec)
{
    return gate_lock(uid, LOCK_SH, timeout_msec);
}

int gate_shut(uid_t uid, unsigned timeout_msec)
{
    return gate_lock(uid, LOCK_EX, timeout_msec);
}

int gate_remove(uid_t uid)
{
    char name[16];

    gate_name(name, uid);
    _cleanup_close_ int directory = open_directory();
    if (directory < 0)
        return directory;
    if (unlinkat(directory, name, 0) < 0 && errno != ENOENT)
        return -errno;
    return 0;
}
