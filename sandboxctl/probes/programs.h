/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Finds the host's programs that give a sandbox another privilege than its own when it runs them.
 */

#include "conf/config.h"

struct program {
    char *word;      /* its path, as word_encode() writes it */
    bool is_allowed; /* sandboxes may run it */
};

struct programs {
    struct program *list; /* sorted by path */
    size_t n;
    bool incomplete; /* there were too many files to look at all */
};

/* Looks in the directories that the sandbox's user could enter, of file systems on which set-id
 * bits count; not in its own. Returns 0 or a negative errno. */
int programs_find(const struct config_sandbox *sandbox, struct programs *programs);

void programs_done(struct programs *programs);
