/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A root directory of a test's own, where the plugins' nss_file_open() opens instead of /. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

extern char tree_root[];

/* cmocka's set-up and tear-down: an empty tree with the directories of every file. */
int tree_setup(void **state);
int tree_teardown(void **state);

/* Replaces a file, by rename as users_write() does; path is the one that the plugin knows. */
void tree_write(const char *path, const char *text);
void tree_write_bytes(const char *path, const void *bytes, size_t size);
void tree_remove(const char *path);

/* Where a path is in the tree; valid until this thread's call after next. */
const char *tree_path(const char *path);

/* How many descriptors this process has. */
unsigned tree_count_fds(void);
