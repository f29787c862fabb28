/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/layers.h"

#include "conf/paths.h"

#include <stddef.h>
#include <string.h>

const struct layer layers[] = {
    { "users", USERS_UNIT, "sandbox-users", NSS_PASSWD_FILE, "the sandbox users exist" },
    { "firewall", FIREWALL_UNIT, "firewall", NULL,
      "packets of sandboxes reach what they may and nothing else" },
    { "lsm", LSM_UNIT, "lsm", NULL, "the kernel refuses what file modes would allow",
      .is_of_kernel_policy = true },
    { "denials", "pam-sandbox-denials.service", "denials", NULL,
      "what the kernel refused is in the journal", .is_of_kernel_policy = true, .is_aside = true },
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

bool layer_is_on(const struct layer *layer, const struct config *config)
{
    if (!config || !layer->is_of_kernel_policy)
        return true;
    /* What the generator looks at: without anybody there is nothing to refuse. */
    return config->host.kernel_policy && (config->n_sandboxes > 0 || config->host.lock_user);
}
