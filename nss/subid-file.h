/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A file of subordinate ids: subuid(5), subgid(5). Lines are understood as shadow understands
 * them, so that other users of a host keep what they had; what shadow skips is skipped. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct subid_line {
    const char *owner; /* user name, or uid in decimal; in the file's buffer */
    uint32_t start;
    uint32_t count; /* at least 1, and start + count - 1 is a valid id */
};

struct subid_file {
    FILE *stream; /* NULL: the file does not exist, and has no lines */
    char *buffer;
    size_t size;
};

/* Returns 0 or a negative errno. A file that does not exist is an empty one. */
int subid_file_open(struct subid_file *file, const char *path);
void subid_file_close(struct subid_file *file);

/* 1 and the next line, valid until the next call; 0 at the end; or a negative errno. */
int subid_file_next(struct subid_file *file, struct subid_line *ret);

/* Takes a line apart in place; false when it is not a range. */
bool subid_line_parse(char *text, struct subid_line *ret);

/* A uid in decimal digits and nothing else. */
bool subid_parse_uid(const char *text, uid_t *ret);
