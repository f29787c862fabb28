/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Of the probes of a sandbox's proxy. */

#include "sandboxctl/probes/network.h"

/* Whether the sandbox has no proxy; or one that reads from some hosts alone, of which none is the
 * check's. Then the probe is skipped and says so. */
bool egress_is_off(struct probe_run *run);
bool reads_are_limited(struct probe_run *run);
