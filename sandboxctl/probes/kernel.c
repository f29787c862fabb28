/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/kernel.h"

bool kernel_policy_is_off(struct probe_run *run, const char *open)
{
    if (run->config->host.kernel_policy)
        return false;
    probe_skip(run, "kernel-policy is false: %s", open);
    return true;
}
