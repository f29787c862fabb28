/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Directories of root's below a root directory that stands for / (conf/root.h). */

#include "nss/users-report.h"

/* root_open() of conf/root.h, with a report. */
int dir_open_root(const char *root, const struct report *report);

/* The directory at an absolute path: a descriptor that the caller closes, or a negative errno,
 * reported. With make, it and its parents are made where they are missing, 0755 and root's;
 * without, -ENOENT is not reported. One that another user owns or may write is refused: what is
 * made in it could be exchanged. */
int dir_open(int root, const char *path, bool make, const struct report *report);
