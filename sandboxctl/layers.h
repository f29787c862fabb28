/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What has to stand before a sandbox user gets a session, as one table. */

#include "conf/config.h"

#define USERS_UNIT "pam-sandbox-users.service"
#define FIREWALL_UNIT "pam-sandbox-firewall.service"
#define LSM_UNIT "pam-sandbox-lsm.service"
#define READY_UNIT "pam-sandbox-ready.service"

struct layer {
    const char *name;
    const char *unit;
    const char *program; /* as the journal names it */
    const char *file;    /* what it leaves behind while it is up; NULL: nothing */
    const char *what;
    bool is_of_kernel_policy; /* on only with it */
    bool is_aside;            /* sessions open without it, too */
    bool is_socket;           /* systemd itself does the work, and says what failed */
};

/* Ends with name NULL; each stands on those before it, but for those aside. */
extern const struct layer layers[];

const struct layer *layer_of_unit(const char *unit);

/* Whether a configuration has it on. NULL, nothing in force: what would be missed. */
bool layer_is_on(const struct layer *layer, const struct config *config);
