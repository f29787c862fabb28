/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The configuration's files below a root directory: only such as nobody but their owner can change,
 * and he is root, or whose the tree is. Private to conf/. */

#include "conf/problem.h"

struct files {
    int root_fd;
    uid_t owner;
    struct problems *problems;
};

/* files_close() may be called whatever this returned: 0, or -EINVAL after it was reported. */
int files_open(struct files *files, const char *root, struct problems *problems);
void files_close(struct files *files);

/* A directory; -ENOENT when there is none to read, also after a problem. */
int files_open_directory(struct files *files, const char *path);

/* The text of a file, which the caller frees; what is wrong with it is reported, and then *ret is
 * NULL and the result 0 all the same. -ENOENT: there is no such file; -ENOMEM. */
int files_read(struct files *files, const char *path, char **ret, size_t *ret_size);

/* error is a negative errno. */
void files_cannot_read(struct files *files, const char *path, int error);
