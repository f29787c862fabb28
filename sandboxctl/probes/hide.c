/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/hide.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

int hide_enter(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    return 0;
}

/* Makes to stand for from: a symbolic link is copied, everything else is bound. */
static int stand_in(int dir_fd, const char *name, const char *from, const char *to)
{
    char target[PATH_MAX];
    struct stat st;

    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;

    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlinkat(dir_fd, name, target, sizeof target - 1);
        if (n < 0)
            return -errno;
        target[n] = '\0';
        return symlink(target, to) < 0 ? -errno : 0;
    }

    if (S_ISDIR(st.st_mode)) {
        if (mkdir(to, 0700) < 0)
            return -errno;
    } else {
        _cleanup_close_ int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0)
            return -errno;
    }
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 ? -errno : 0;
}

int hide_file(const char *path, const char *scratch)
{
    _cleanup_free_ char *directory = NULL, *copy = strdup(path);
    _cleanup_closedir_ DIR *dir = NULL;
    const char *hidden = strrchr(path, '/') + 1;
    const struct dirent *entry;
    struct stat st;

    if (!copy || !(directory = strdup(dirname(copy))))
        return -ENOMEM;
    dir = opendir(directory);
    if (!dir)
        return errno == ENOENT ? 0 : -errno;
    if (fstat(dirfd(dir), &st) < 0 || mount("tmpfs", scratch, "tmpfs", 0, "mode=0755") < 0)
        return -errno;

    while ((entry = readdir(dir))) {
        _cleanup_free_ char *from = NULL, *to = NULL;
        int r;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, hidden) == 0)
            continue;
        if (asprintf(&from, "%s/%s", directory, entry->d_name) < 0 ||
            asprintf(&to, "%s/%s", scratch, entry->d_name) < 0)
            return -ENOMEM;
        r = stand_in(dirfd(dir), entry->d_name, from, to);
        if (r < 0)
            return r;
    }

    if (chmod(scratch, st.st_mode & 07777) < 0 ||
        mount(scratch, directory, NULL, MS_MOVE, NULL) < 0)
        return -errno;
    return 0;
}
