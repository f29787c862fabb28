/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/check.h"
#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/parse.h"
#include "conf/paths.h"
#include "conf/root.h"
#include "conf/rules.h"

/* Ten thousand sandboxes with every option written out are eight megabytes. */
#define MAX_FILE_SIZE (256U << 20)

struct reader {
    struct merge merge;
    int root_fd;
    uid_t owner; /* of every file: root, or who owns the tree that stands for / */
};

static void reader_done(struct reader *reader)
{
    merge_done(&reader->merge);
    cleanup_closep(&reader->root_fd);
}

static int reader_init(struct reader *reader, const char *root, config_problem_t report,
                       void *userdata)
{
    struct stat st;
    int r = merge_init(&reader->merge, report, userdata);

    reader->root_fd = -EBADF;
    if (r < 0)
        return r;
    reader->root_fd = root_open(root);
    if (reader->root_fd < 0 || fstat(reader->root_fd, &st) < 0) {
        problem(&reader->merge.problems, *root ? root : "/", 0, "cannot be opened: %s",
                strerror(errno));
        return -EINVAL;
    }
    reader->owner = st.st_uid;
    return 0;
}

static void cannot_read(struct reader *reader, const char *path, int error)
{
    problem(&reader->merge.problems, path, 0, "cannot be read: %s", strerror(-error));
}

/* Who can write a file of the configuration, or the directory it is in, decides what root does. */
static bool is_trusted(struct reader *reader, const char *path, int fd, bool directory)
{
    struct problems *problems = &reader->merge.problems;
    struct stat st;

    if (fstat(fd, &st) < 0)
        cannot_read(reader, path, -errno);
    else if (directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
        problem(problems, path, 0, "is not a %s; put one in its place",
                directory ? "directory" : "regular file");
    else if (st.st_uid != reader->owner)
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

/* -ENOENT: there is no such file. Else 0, also after problems, or -ENOMEM. */
static int read_file(struct reader *reader, const char *path)
{
    _cleanup_close_ int fd = -EBADF;
    _cleanup_free_ char *text = NULL;
    size_t size = 0;
    int r;

    /* O_NONBLOCK: a FIFO in its place is refused, not waited for. O_NOFOLLOW: what a link leads to
     * may be in a directory of anybody's. */
    fd = root_open_at(reader->root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0);
    if (fd == -ENOENT)
        return fd;
    if (fd == -ELOOP) {
        problem(&reader->merge.problems, path, 0,
                "is a symbolic link; put the file itself in its place");
        return 0;
    }
    if (fd < 0) {
        cannot_read(reader, path, fd);
        return 0;
    }
    if (!is_trusted(reader, path, fd, false))
        return 0;
    r = read_all(fd, &text, &size);
    if (r == -ENOMEM)
        return r;
    if (r < 0) {
        cannot_read(reader, path, r);
        return 0;
    }
    return parse_text(&reader->merge, path, text, size);
}

static int is_dropin(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);

    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".conf") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A directory of the configuration; -ENOENT when there is none to read, also after a problem. */
static int open_directory(struct reader *reader, const char *path)
{
    int fd = root_open_at(reader->root_fd, path, O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0) {
        if (fd != -ENOENT)
            cannot_read(reader, path, fd);
        return -ENOENT;
    }
    if (is_trusted(reader, path, fd, true))
        return fd;
    close(fd);
    return -ENOENT;
}

static int read_dropins(struct reader *reader, const char *directory)
{
    struct dirent **entries;
    _cleanup_close_ int fd = open_directory(reader, directory);
    int n, r = 0;

    if (fd < 0)
        return 0;
    n = scandirat(fd, ".", &entries, is_dropin, by_bytes);
    if (n < 0) {
        cannot_read(reader, directory, -errno);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        _cleanup_free_ char *path = NULL;

        if (r == 0 && asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0) {
            path = NULL;
            r = -ENOMEM;
        }
        if (r == 0)
            r = read_file(reader, path);
        if (r == -ENOENT) { /* gone since */
            cannot_read(reader, path, r);
            r = 0;
        }
        free(entries[i]);
    }
    free(entries);
    return r;
}

static int finish(struct reader *reader, int error, const struct config_source *source,
                  struct config **ret)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = error;

    if (r == 0)
        r = merge_finish(&reader->merge, &config);
    if (r == 0)
        r = check_config(config, &reader->merge.problems);
    if (r == 0)
        r = source && source->check_host
                ? check_host(config, reader->root_fd, &reader->merge.problems)
                : check_ids(config, &reader->merge.problems);
    if (r == 0)
        r = problems_result(&reader->merge.problems);
    if (r == 0)
        *ret = steal_ptr(config);
    return r;
}

static int read_optional(struct reader *reader, const char *path)
{
    const int r = read_file(reader, path);

    return r == -ENOENT ? 0 : r;
}

int config_load_etc(const struct config_source *source, config_problem_t report, void *userdata,
                    struct config **ret)
{
    _cleanup_(reader_done) struct reader reader = { 0 };
    _cleanup_close_ int etc_fd = -EBADF;
    int r = reader_init(&reader, source->root, report, userdata);

    if (r == 0)
        r = read_optional(&reader, CONFIG_VENDOR_FILE);
    if (r == 0)
        etc_fd = open_directory(&reader, CONFIG_DIR);
    if (r == 0 && etc_fd >= 0)
        r = read_optional(&reader, CONFIG_ADMIN_FILE);
    if (r == 0 && etc_fd >= 0)
        r = read_dropins(&reader, CONFIG_DROPIN_DIR);
    return finish(&reader, r, source, ret);
}

static int load_one(const char *root, const char *path, config_problem_t report, void *userdata,
                    struct config **ret)
{
    _cleanup_(reader_done) struct reader reader = { 0 };
    int r = reader_init(&reader, root, report, userdata);

    if (r == 0)
        r = read_file(&reader, path);
    return finish(&reader, r, NULL, ret);
}

int config_load_snapshot(const char *root, config_problem_t report, void *userdata,
                         struct config **ret)
{
    return load_one(root, SNAPSHOT_FILE, report, userdata, ret);
}

int config_load_snapshot_of(const char *root, const char *name, config_problem_t report,
                            void *userdata, struct config **ret)
{
    char path[sizeof SNAPSHOT_SPLIT_DIR + 64];
    _cleanup_(config_freep) struct config *config = NULL;
    struct reason reason;
    int r;

    if (!name)
        return load_one(root, SNAPSHOT_SPLIT_DIR "/" SNAPSHOT_SPLIT_HOST, report, userdata, ret);
    /* A name that could not be a sandbox's could be a path. */
    if (rule_sandbox_name(name, &reason) < 0)
        return -ENOENT;
    (void)snprintf(path, sizeof path, SNAPSHOT_SPLIT_DIR "/%s.conf", name);
    r = load_one(root, path, report, userdata, &config);
    if (r < 0)
        return r;
    if (config->n_sandboxes != 1 || strcmp(config->sandboxes[0].name, name) != 0) {
        if (report)
            report(path, 0,
                   "does not describe the sandbox that it is named after; run "
                   "sandboxctl apply",
                   userdata);
        return -EINVAL;
    }
    *ret = steal_ptr(config);
    return 0;
}
