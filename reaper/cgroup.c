/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reaper/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"

#define USERS_CGROUP "/sys/fs/cgroup/user.slice"

int cgroup_open_users(void)
{
    int fd = open(USERS_CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* A cgroup may be removed at any moment, and then says ENOENT to an open, ENODEV to a read or write
 * on what is open: there is nothing in it any more. */
static bool is_removed(int error)
{
    return error == ENOENT || error == ENODEV;
}

/* 1 when a process is in the cgroup or below it (cgroup.events, Documentation/admin-guide/
 * cgroup-v2.rst in the kernel's source). */
static int is_populated(int cgroup_fd)
{
    char text[256];

    _cleanup_close_ int fd = openat(cgroup_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return is_removed(errno) ? 0 : -errno;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    if (n < 0)
        return is_removed(errno) ? 0 : -errno;
    text[n] = '\0';
    return strstr(text, "populated 1") != NULL;
}

/* The kernel kills the whole tree at once, and what forks meanwhile too. */
static int kill_all(int cgroup_fd)
{
    _cleanup_close_ int fd = openat(cgroup_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return is_removed(errno) ? 0 : -errno;
    if (write(fd, "1", 1) < 0)
        return is_removed(errno) ? 0 : -errno;
    return 0;
}

static int visit_unit(int slice_fd, const char *name, bool kill)
{
    _cleanup_close_ int fd =
        openat(slice_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return is_removed(errno) || errno == ENOTDIR ? 0 : -errno;
    int populated = is_populated(fd);
    if (populated <= 0 || !kill)
        return populated;
    int r = kill_all(fd);
    return r < 0 ? r : 1;
}

static int open_slice(int users_fd, uid_t uid)
{
    char name[64];

    snprintf(name, sizeof(name), "user-%u.slice", (unsigned)uid);
    int fd = openat(users_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int cgroup_has_slice(int users_fd, uid_t uid)
{
    _cleanup_close_ int fd = open_slice(users_fd, uid);
    if (fd < 0)
        return is_removed(-fd) ? 0 : fd;
    return 1;
}

int cgroup_visit_slice(int users_fd, uid_t uid, bool kill)
{
    char runtime_dir[64];
    int result = 0;

    snprintf(runtime_dir, sizeof(runtime_dir), "user-runtime-dir@%u.service", (unsigned)uid);

    _cleanup_close_ int fd = open_slice(users_fd, uid);
    if (fd < 0)
        return is_removed(-fd) ? 0 : fd;
    int listing = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (listing < 0)
        return -errno;
    _cleanup_closedir_ DIR *directory = fdopendir(listing);
    if (!directory) {
        int r = -errno;
        close(listing);
        return r;
    }

    /* One that cannot be killed must not save the others. */
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
            continue;
        if (strcmp(entry->d_name, runtime_dir) == 0)
            continue;
        int r = visit_unit(fd, entry->d_name, kill);
        if (r < 0 || result == 0)
            result = r < 0 && result < 0 ? result : r;
    }
    return result;
}
