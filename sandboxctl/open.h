/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the configuration in force leaves open: protections that are turned off, and what was
 * allowed that is more than it seems. */

#include "conf/config.h"

struct open_item {
    const char *option; /* as the configuration file calls it */
    const char *what;   /* one line: why, and what is open for it */
    /* Those it is open for; NULL: the host. */
    const struct config_sandbox *const *sandboxes;
    size_t n_sandboxes;
};

typedef void (*open_item_t)(const struct open_item *item, void *userdata);

/* Calls item() for each; its pointers are valid during the call. Returns 0 or -ENOMEM. */
int open_list(const struct config *config, open_item_t item, void *userdata);
