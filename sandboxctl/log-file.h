/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lines of one sandbox's log, oldest first, across the file that was begun last and the one
 * before, and on as more are written. */

#include <stdbool.h>
#include <stdio.h>

struct log_file {
    int directory_fd; /* the caller's */
    char *name, *old_name;
    FILE *file;
    bool is_old; /* file is the one before */
    char *line;  /* the current one, without its newline; NULL: there is none now */
    size_t size;
};

/* Returns 0, -ENOENT when the sandbox has no log, or another negative errno. log_file_close() is
 * right after any. */
int log_file_open(int directory_fd, const char *sandbox, struct log_file *file);
void log_file_close(struct log_file *file);

/* Goes to the next line that is whole. 1: there is one; 0: not now; a negative errno. */
int log_file_next(struct log_file *file);
