/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reaching files below a root directory that stands for /: a symbolic link in there, absolute or
 * not, leads to where it would lead if that were the root. Each function returns a descriptor that
 * the caller closes, or a negative errno. */

#include "nss/users-report.h"

int root_open(const char *root, const struct report *report);

/* As openat2(2) with RESOLVE_IN_ROOT; reports nothing. */
int root_openat(int root, const char *path, int flags);

/* The directory at an absolute path. With make, it and its parents are made where they are missing,
 * 0755 and root's; without, -ENOENT is not reported. One that another user owns or may write is
 * refused: what is made in it could be exchanged. */
int root_open_dir(int root, const char *path, bool make, const struct report *report);
