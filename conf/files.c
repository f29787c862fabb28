/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/root.h"

/* Ten thousand sandboxes with every option written out are eight megabytes. */
#define MAX_FILE_SIZE (256U << 20)

int files_open(struct files *files, const char *root, struct problems *problems)
{
    struct stat st;

    *files = (struct files){ .root_fd = root_open(root), .problems = problems };
    if (files->root_fd < 0 || fstat(files->root_fd, &st) < 0) {
        problem(problems, *root ? root : "/", 0, "cannot be opened: %s",
                strerror(files->root_fd < 0 ? -files->root_fd : errno));
        return -EINVAL;
    }
    files->owner = st.st_uid;
    return 0;
}

void files_close(struct files *files)
{
    cleanup_closep(&files->root_fd);
    files->root_fd = -EBADF;
}

void files_cannot_read(struct files *files, const char *path, int error)
{
    problem(files->problems, path, 0, "cannot be read: %s", strerror(-error));
}

/* Who can write a file of the configuration, or the directory it is in, decides what root does. */
static bool is_trusted(struct files *files, const char *path, int fd, bool directory)
{
    struct problems *problems = files->problems;
    struct stat st;

    if (fstat(fd, &st) < 0)
        files_cannot_read(files, path, -errno);
    else if (directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
        problem(problems, path, 0, "is not a %s; put one in its place",
                directory ? "directory" : "regular file");
    else if (st.st_uid != files->owner)
        problem(problems, path, 0, "belongs to uid %u; make it root's: chown root %s", st.st_uid,
                path);
    else if (st.st_mode & (S_IWGRP | S_IWOTH))
        problem(problems, path, 0, "can be written by others than its owner; chmod go-w %s", path);
    else if (!directory && st.st_size > MAX_FILE_SIZE)
        problem(problems, path, 0, "is larger than %u MiB; split it", MAX_FILE_SIZE >> 20);
    else
        return true;
    return false;
}

int files_open_directory(struct files *files, const char *path)
{
    int fd = root_open_at(files->root_fd, path, O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0) {
        if (fd != -ENOENT)
            files_cannot_read(files, path, fd);
        return -ENOENT;
    }
    if (is_trusted(files, path, fd, true))
        return fd;
    close(fd);
    return -ENOENT;
}

static int read_all(int fd, char **ret, size_t *ret_size)
{
    _cleanup_free_ char *text = NULL;
    size_t used = 0, size = 0;

    for (;;) {
        if (size - used < 4096) {
            size = size ? size * 2 : 16384;
            char *larger = realloc(text, size);
            if (!larger)
                return -ENOMEM;
            text = larger;
        }
        ssize_t n = read(fd, text + used, size - used);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            break;
        if (n > 0)
            used += (size_t)n;
    }
    *ret = steal_ptr(text);
    *ret_size = used;
    return 0;
}

int files_read(struct files *files, const char *path, char **ret, size_t *ret_size)
{
    _cleanup_close_ int fd = -EBADF;
    int r;

    *ret = NULL;
    *ret_size = 0;
    /* O_NONBLOCK: a FIFO in its place is refused, not waited for. O_NOFOLLOW: what a link leads to
     * may be in a directory of anybody's. */
    fd = root_open_at(files->root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0);
    if (fd == -ENOENT)
        return fd;
    if (fd == -ELOOP) {
        problem(files->problems, path, 0, "is a symbolic link; put the file itself in its place");
        return 0;
    }
    if (fd < 0) {
        files_cannot_read(files, path, fd);
        return 0;
    }
    if (!is_trusted(files, path, fd, false))
        return 0;
    r = read_all(fd, ret, ret_size);
    if (r < 0 && r != -ENOMEM) {
        files_cannot_read(files, path, r);
        r = 0;
    }
    return r;
}
