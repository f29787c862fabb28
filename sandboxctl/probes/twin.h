/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A second proxy for a sandbox, for as long as a check lasts: the same program, for the same user,
 * with rules that allow what the check sends, and with names that lead where the check wants them
 * to. What the sandbox's own refuses, this one lets through; and what no rule can allow, this one
 * refuses as well. No sandbox reaches it. */

#include "conf/config.h"

#include <stdbool.h>
#include <sys/types.h>

struct outside;

/* Names in this proxy's own hosts(5): OUTSIDE_HOST, which is the origin, and one that is another
 * address of the origin's and a private one as well. */
#define TWIN_MIXED_HOST "mixed.check.pam-sandbox.invalid"

struct twin {
    pid_t pid; /* -1: there is none */
    char port[8];
    char problem[256]; /* why there is none; "": it is there */
};

/* also: one more name that leads to the origin; NULL: none. directory: root's, which
 * others may pass, for what it needs. uid, gid: the proxies'. Returns whether it is there. */
bool twin_begin(struct twin *twin, const struct config *config,
                const struct config_sandbox *sandbox, const struct outside *outside,
                const char *also, const char *directory, uid_t uid, gid_t gid);

void twin_end(struct twin *twin);
