/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What has to stand before a sandbox user gets a session, as one table. */

#define USERS_UNIT "pam-sandbox-users.service"
#define FIREWALL_UNIT "pam-sandbox-firewall.service"
#define READY_UNIT "pam-sandbox-ready.service"

struct layer {
    const char *name;
    const char *unit;
    const char *program; /* as the journal names it */
    const char *file;    /* what it leaves behind while it is up; NULL: nothing */
    const char *what;
};

/* Ends with name NULL; each stands on those before it. */
extern const struct layer layers[];

const struct layer *layer_of_unit(const char *unit);
