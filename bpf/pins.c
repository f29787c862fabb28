/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

#define NEW_DIR PINS_DIR "-new"

/* More than both sets have. */
#define PROGRAMS_MAX 128

/* Of 10 ms: how long the kernel may take to let go of programs. */
#define END_STEPS 500

int pins_lock(int *ret_fd)
{
    struct statfs status;

    _cleanup_close_ int fd = open(BPFFS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ENOTSUP : -errno;
    if (fstatfs(fd, &status) < 0)
        return -errno;
    if (status.f_type != BPF_FS_MAGIC)
        return -ENOTSUP;
    if (flock(fd, LOCK_EX) < 0)
        return -errno;
    *ret_fd = steal_fd(&fd);
    return 0;
}

/* There are no directories in it. */
static int remove_directory(const char *path)
{
    _cleanup_closedir_ DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? 0 : -errno;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(directory), entry->d_name, 0) < 0)
            return -errno;
    }
    return rmdir(path) < 0 ? -errno : 0;
}

int pins_begin(void)
{
    int r = remove_directory(NEW_DIR);
    if (r < 0)
        return r;
    return mkdir(NEW_DIR, 0700) < 0 ? -errno : 0;
}

static void pin_path(char *path, size_t size, const char *name)
{
    snprintf(path, size, NEW_DIR "/%s", name);
}

int pins_add_map(struct bpf_map *map, const char *name)
{
    char path[PATH_MAX];

    pin_path(path, sizeof(path), name);
    return bpf_obj_pin(bpf_map__fd(map), path);
}

int pins_add_link(struct bpf_link *link, const char *name)
{
    char path[PATH_MAX];

    pin_path(path, sizeof(path), name);
    return bpf_obj_pin(bpf_link__fd(link), path);
}

int pins_commit(void)
{
    if (renameat2(AT_FDCWD, NEW_DIR, AT_FDCWD, PINS_DIR, RENAME_EXCHANGE) == 0)
        return remove_directory(NEW_DIR);
    if (errno != ENOENT)
        return -errno;
    if (renameat2(AT_FDCWD, NEW_DIR, AT_FDCWD, PINS_DIR, RENAME_NOREPLACE) < 0)
        return -errno;
    return 0;
}

int pins_abandon(void)
{
    return remove_directory(NEW_DIR);
}

struct attached {
    uint32_t ids[PROGRAMS_MAX];
    size_t n;
};

static void note_programs(const char *directory_path, struct attached *programs)
{
    _cleanup_closedir_ DIR *directory = opendir(directory_path);

    for (struct dirent *entry;
         directory && (entry = readdir(directory)) && programs->n < PROGRAMS_MAX;) {
        char path[PATH_MAX];
        struct bpf_link_info info = { 0 };
        uint32_t size = sizeof(info);

        if (strncmp(entry->d_name, PINS_LINK_PREFIX, strlen(PINS_LINK_PREFIX)) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", directory_path, entry->d_name);
        _cleanup_close_ int fd = bpf_obj_get(path);
        if (fd >= 0 && bpf_link_get_info_by_fd(fd, &info, &size) == 0)
            programs->ids[programs->n++] = info.prog_id;
    }
}

/* The last reference to a link is let go of by a work queue, kernel/bpf/syscall.c: bpf_link_put().
 * It takes the program off its hook, and then lets go of that; the link has no id any more by then.
 */
static int wait_for_end(const struct attached *programs)
{
    const struct timespec step = { .tv_nsec = 10000000 };
    unsigned steps = 0;

    for (size_t i = 0; i < programs->n; i++)
        for (;;) {
            _cleanup_close_ int fd = bpf_prog_get_fd_by_id(programs->ids[i]);
            if (fd < 0 && errno == ENOENT)
                break;
            if (steps++ >= END_STEPS)
                return -ETIMEDOUT;
            nanosleep(&step, NULL);
        }
    return 0;
}

int pins_remove(void)
{
    struct attached programs = { 0 };

    note_programs(PINS_DIR, &programs);
    note_programs(NEW_DIR, &programs);
    int r = remove_directory(PINS_DIR), q = remove_directory(NEW_DIR);
    return r < 0 ? r : q < 0 ? q : wait_for_end(&programs);
}
