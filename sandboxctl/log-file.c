/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/log-file.h"

#include "conf/cleanup.h"
#include "proxy/log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* The directory is the proxies': what is in it may be anything. */
static int open_name(struct log_file *file, const char *name)
{
    _cleanup_close_ int fd =
        openat(file->directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -ENOENT;
    file->file = fdopen(fd, "r");
    if (!file->file)
        return -ENOMEM;
    (void)steal_fd(&fd);
    return 0;
}

/* In the place of the one that is open, if there is a new one. */
static int open_new(struct log_file *file)
{
    FILE *old = file->file;
    int r = open_name(file, file->name);

    if (r < 0)
        return r;
    cleanup_fclosep(&old);
    file->is_old = false;
    return 0;
}

int log_file_open(int directory_fd, const char *sandbox, struct log_file *file)
{
    *file = (struct log_file){ .directory_fd = directory_fd };
    if (strchr(sandbox, '/'))
        return -ENOENT;
    if (asprintf(&file->name, "%s" LOG_SUFFIX, sandbox) < 0 ||
        asprintf(&file->old_name, "%s" LOG_OLD_SUFFIX, sandbox) < 0)
        return -ENOMEM;
    file->is_old = true;
    int r = open_name(file, file->old_name);
    return r == -ENOENT ? open_new(file) : r;
}

void log_file_close(struct log_file *file)
{
    cleanup_fclosep(&file->file);
    free(file->name);
    free(file->old_name);
    free(file->line);
    *file = (struct log_file){};
}

/* Whether the file that is open is no longer the one that is written, or was emptied. */
static bool is_left(const struct log_file *file, bool *emptied)
{
    struct stat open, named;

    *emptied = false;
    if (fstat(fileno(file->file), &open) < 0)
        return false;
    *emptied = open.st_size < ftello(file->file);
    return fstatat(file->directory_fd, file->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           (named.st_ino != open.st_ino || named.st_dev != open.st_dev);
}

/* The next whole line of the file that is open. */
static bool read_line(struct log_file *file)
{
    const off_t before = ftello(file->file);
    ssize_t n = getline(&file->line, &file->size, file->file);

    clearerr(file->file);
    if (n > 0 && file->line[n - 1] == '\n') {
        file->line[n - 1] = '\0';
        return true;
    }
    /* Its rest is still to come. */
    (void)fseeko(file->file, before, SEEK_SET);
    return false;
}

int log_file_next(struct log_file *file)
{
    for (;;) {
        bool emptied;

        if (read_line(file))
            return 1;
        const bool left = is_left(file, &emptied);
        if (emptied)
            rewind(file->file);
        else if (file->is_old || left) {
            /* Between the two reads it may have got its last lines. */
            if (read_line(file))
                return 1;
            int r = open_new(file);
            if (r < 0)
                return r == -ENOENT ? 0 : r;
        } else
            return 0;
    }
}
