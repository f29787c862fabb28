/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a check makes on the host for the probes to find, all of it named after one token, and how
 * it goes away again. */

#include "conf/config.h"

#include <limits.h>

struct canary {
    char token[17];
    char run_dir[PATH_MAX];   /* below /run, root's */
    char state_dir[PATH_MAX]; /* below /var/lib, root's */
    char run_open[PATH_MAX];  /* a directory in each that the sandbox's group may write */
    char state_open[PATH_MAX];
    char session_tmp[PATH_MAX]; /* what a session has as its /tmp */
};

/* Only the token. */
int canary_token(struct canary *canary);

/* Both return 0 or a negative errno; what was made before an error is removed all the same. */
int canary_make(struct canary *canary, const struct config_sandbox *sandbox);

/* Removes what is at path, if anything is, with all that is in it on the same file system. */
void canary_remove_tree(const char *path);

/* Removes everything of that token, also what probes left that were killed. */
void canary_remove(struct canary *canary);
