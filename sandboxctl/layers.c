/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/layers.h"

#include "conf/paths.h"

#include <stddef.h>

const struct layer layers[] = {
    { "users", USERS_UNIT, NSS_PASSWD_FILE, "the sandbox users exist" },
    { "reaper", "pam-sandbox-reaper.service", NULL, "nothing outlives a sandbox's last session" },
    { "stacks", "pam-sandbox-stacks.service", NULL, "an edit of the PAM stacks is noticed" },
    { "ready", READY_UNIT, READY_FILE, "the PAM stacks are proven, sessions open" },
    { NULL },
};
