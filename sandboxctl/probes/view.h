/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sandboxctl/probes/probe.h"

/* Whether the sandbox has no view of its own; then the probe is skipped and says what that leaves
 * open. */
bool view_is_off(struct probe_run *run);
