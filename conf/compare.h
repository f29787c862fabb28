/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What changes from one configuration to another, for people who are about to apply it. */

#include "conf/config.h"

/* Values are as a file would say them. All pointers are valid during the call only. */
struct config_change {
    const char *section; /* "host", "run0", "sandbox"; "egress": the rules of a proxy */
    const char *sandbox; /* its name; NULL in other sections */
    const char *option;  /* "limits.tasks", "rules"; NULL: the sandbox as a whole comes or goes */
    const char *from;    /* NULL: the sandbox was not there */
    const char *to;      /* NULL: the sandbox goes */
    const char *file;    /* says so; NULL: built in, or nowhere any more */
    unsigned line;       /* 0: of the file as a whole */
};

typedef void (*config_change_t)(const struct config_change *change, void *userdata);

/* Calls change() for each option with another value, host and run0 first, then the sandboxes by
 * name. A sandbox that comes is told with each option that is set for it, one that goes without.
 * old NULL is a configuration in which nothing is set. Returns 0 or -ENOMEM. */
int config_compare(const struct config *old, const struct config *new, config_change_t change,
                   void *userdata);
