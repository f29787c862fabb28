/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/feed-read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"

/* Twenty times a feed of 100,000 names. */
#define MAX_SIZE (64 << 20)

void feed_problem(const struct feed_source *source, unsigned line, const char *format, ...)
{
    char message[512];
    va_list arguments;

    if (!source->problem)
        return;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    source->problem(source->path, line, message, source->userdata);
}

int feed_read_text(int fd, const struct feed_source *source, char **ret, size_t *ret_size)
{
    _cleanup_free_ char *text = NULL;
    struct stat st;
    size_t used = 0;

    if (fstat(fd, &st) < 0) {
        feed_problem(source, 0, "the feed cannot be read: %s", strerror(errno));
        return -EINVAL;
    }
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_SIZE) {
        feed_problem(source, 0, "the feed is not a regular file of at most %d MiB", MAX_SIZE >> 20);
        return -EINVAL;
    }
    text = malloc((size_t)st.st_size + 1);
    if (!text)
        return -ENOMEM;
    while (used < (size_t)st.st_size) {
        ssize_t n = read(fd, text + used, (size_t)st.st_size - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            feed_problem(source, 0, "the feed cannot be read: %s", strerror(errno));
            return -EINVAL;
        }
        if (n == 0)
            break;
        used += (size_t)n;
    }
    *ret = steal_ptr(text);
    *ret_size = used;
    return 0;
}

int feed_from_text(const char *text, size_t size, const struct feed_source *source,
                   struct feed **ret)
{
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    unsigned line;
    int r = feed_parse(text, size, &feed, &line);

    if (r == -EBADMSG) {
        feed_problem(
            source, line,
            "the feed is no list of names, one a line or as in hosts(5); this is the first "
            "line that is not");
        return -EINVAL;
    }
    if (r == 0 && feed_count(feed) < source->floor) {
        feed_problem(source, 0,
                     "the feed has %zu names, fewer than floor = %llu, and is not believed",
                     feed_count(feed), (unsigned long long)source->floor);
        return -EINVAL;
    }
    if (r == 0)
        *ret = steal_ptr(feed);
    return r;
}

int feed_from_file(const char *root, const struct feed_source *source, struct feed **ret)
{
    _cleanup_free_ char *full = NULL, *text = NULL;
    _cleanup_close_ int fd = -EBADF;
    struct stat st;
    size_t size;

    if (asprintf(&full, "%s%s", root, source->path) < 0) {
        full = NULL;
        return -ENOMEM;
    }
    fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        feed_problem(source, 0, "the feed cannot be read: %s", strerror(errno));
        return -EINVAL;
    }
    /* Whoever can write it can take names away. */
    if ((st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH)) {
        feed_problem(source, 0,
                     "the feed can be written by others than root; chown root %s; chmod go-w %s",
                     source->path, source->path);
        return -EINVAL;
    }
    int r = feed_read_text(fd, source, &text, &size);
    return r < 0 ? r : feed_from_text(text, size, source, ret);
}
