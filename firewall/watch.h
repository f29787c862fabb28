/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keeps the table: follows sandboxes' control groups and the host's resolvers, and notices when
 * anybody else touches it. */

#include "firewall/load.h"

/* Loads, proves, tells systemd that it is ready, and returns when it was told to end, 0, or when
 * the table is no longer what was loaded, a negative errno: -ESTALE after somebody else changed it,
 * and it was replaced. The table stays where it is in any case. */
int watch_run(void);
