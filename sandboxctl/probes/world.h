/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Things of root's that everybody may write. */

#include "sandboxctl/probes/probe.h"

#include <limits.h>

/* Where those of one kind are: directories that others may only pass, with a file and a directory
 * in each. */
struct world_canaries {
    char in_run[PATH_MAX], in_state[PATH_MAX]; /* where there is no view */
    char in_tmp[PATH_MAX];                     /* in the /tmp of the sessions */
    char session[64];                          /* the same as it is called there */
};

/* kind is one of those that canary_remove() knows. is_open: everybody may write them now. Returns 0
 * or a negative errno. */
int world_make(const struct probe_run *run, const char *kind, bool is_open,
               struct world_canaries *canaries);
