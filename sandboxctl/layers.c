/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/layers.h"

#include "conf/paths.h"

#include <stddef.h>
#include <string.h>

const struct layer layers[] = {
    { "users", USERS_UNIT, "sandbox-users", NSS_PASSWD_FILE, "the sandbox users exist" },
    { "firewall", FIREWALL_UNIT, "firewall", NULL,
      "packets of sandboxes reach what they may and nothing else" },
    { "reaper", "pam-sandbox-reaper.service", "reaper", NULL,
      "nothing outlives a sandbox's last session" },
    { "stacks", "pam-sandbox-stacks.service", "stacks", NULL,
      "an edit of the PAM stacks is noticed" },
    { "ready", READY_UNIT, "prove", READY_FILE, "the PAM stacks are proven, sessions open" },
    { NULL },
};

const struct layer *layer_of_unit(const char *unit)
{
    for (const struct layer *layer = layers; layer->name; layer++)
        if (strcmp(layer->unit, unit) == 0)
            return layer;
    return NULL;
}
