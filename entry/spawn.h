/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Programs that a worker starts. Each has an environment of its own making, no descriptors but the
 * three that are given, and dies with its worker. */

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
    char *const *arguments; /* the first is the program's path */
    char *const *environment;
    int streams[3];  /* -1: /dev/null */
    bool is_session; /* the first is a terminal, which becomes the controlling one */
};

/* Returns 0 and the process once the program runs, -EPERM when the terminal is a session's already,
 * or another negative errno. */
int spawn_start(const struct spawn *spawn, pid_t *ret);
