/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/users-dir.h"

#include "conf/cleanup.h"
#include "conf/root.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int dir_open_root(const char *root, const struct report *report)
{
    int fd = root_open(root);
    if (fd < 0)
        report_errno(report, fd, "cannot open the root directory %s", root[0] ? root : "/");
    return fd;
}

/* The directory at path, made in its parent when it is missing and make says so. */
static int open_or_make(int root, int parent, const char *path, bool make)
{
    const int flags = O_RDONLY | O_DIRECTORY;
    int fd = root_open_at(root, path, flags, 0);
    if (fd != -ENOENT || !make)
        return fd;
    if (mkdirat(parent, strrchr(path, '/') + 1, 0755) < 0 && errno != EEXIST)
        return -errno;
    fd = root_open_at(root, path, flags, 0);
    if (fd < 0)
        return fd;
    /* The umask may have taken from the mode. */
    if (fchmod(fd, 0755) < 0) {
        int r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

static int check_dir(int fd, const char *path, const struct report *report)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        report_message(report,
                       "%s belongs to uid %u with mode %04o; it must be root's and writable by "
                       "nobody else",
                       path, st.st_uid, st.st_mode & 07777u);
        return -EPERM;
    }
    return 0;
}

int dir_open(int root, const char *path, bool make, const struct report *report)
{
    char prefix[256];
    if (strlen(path) >= sizeof prefix)
        return -ENAMETOOLONG;
    _cleanup_close_ int parent = fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (parent < 0)
        return -errno;

    for (const char *end = path; *end != '\0';) {
        end = strchrnul(end + 1, '/');
        memcpy(prefix, path, (size_t)(end - path));
        prefix[end - path] = '\0';
        int fd = open_or_make(root, parent, prefix, make);
        if (fd < 0) {
            if (make || fd != -ENOENT)
                report_errno(report, fd, "cannot %s directory %s", make ? "make" : "open", prefix);
            return fd;
        }
        close(parent);
        parent = fd;
    }
    int r = check_dir(parent, path, report);
    return r < 0 ? r : steal_fd(&parent);
}
