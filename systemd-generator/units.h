/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From a configuration to unit files: which files there are, and what is in them. */

#include "conf/config.h"
#include "systemd-generator/emit.h"

/* Writes everything that follows from the configuration. Stops at the first error and returns it,
 * a negative errno; emit has said on stderr what it was. */
int units_emit(const struct emit *emit, const struct config *config);
