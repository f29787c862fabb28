/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A feed from a file, with words for what is wrong with it. path is what the file is called in
 * them. Returns 0, -EINVAL after problem() was called (which may be NULL), or -ENOMEM. */

#include "conf/config.h"
#include "proxy/feed.h"

struct feed_source {
    const char *path;
    uint64_t floor; /* with fewer names it is not believed */
    config_problem_t problem;
    void *userdata;
};

/* The whole text of an open file. From anybody's; whether it is to be believed is for the caller.
 */
int feed_read_text(int fd, const struct feed_source *source, char **ret, size_t *ret_size);

int feed_from_text(const char *text, size_t size, const struct feed_source *source,
                   struct feed **ret);

/* The file at ROOT/PATH, which must be root's alone, or the caller's, to write. */
int feed_from_file(const char *root, const struct feed_source *source, struct feed **ret);

void feed_problem(const struct feed_source *source, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
