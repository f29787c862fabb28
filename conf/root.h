/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Files below a root directory that stands for /: "" is the running system. */

#include <stdbool.h>
#include <sys/types.h>

/* The directory itself: a descriptor or a negative errno. */
int root_open(const char *root);

/* Opens the absolute path below it. Symbolic links are followed, and never lead out of the root. */
int root_open_at(int root_fd, const char *path, int flags, mode_t mode);
