/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The units of a sandbox's proxy that depend on the configuration: what it listens on, and the
 * files that PID 1 opens for it. */

#include "conf/config.h"
#include "systemd-generator/emit.h"

/* Nothing for a sandbox without a proxy. Returns 0 or a negative errno, and emit has said on stderr
 * what it was. */
int egress_emit(const struct emit *emit, const struct config_sandbox *sandbox);
