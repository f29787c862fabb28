/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sandboxctl/probes/probe.h"

/* Whether the host has no kernel policy; then the probe is skipped and says what that leaves open,
 * a clause such as "the host's set-id programs are in reach". */
bool kernel_policy_is_off(struct probe_run *run, const char *open);
