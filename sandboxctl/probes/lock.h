/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sandboxctl/probes/place.h"

#include <stdbool.h>

/* Whether nobody is locked; then the probe is skipped. */
bool lock_is_off(struct probe_run *run);

/* A session of the user who is locked. */
#define PLACE_LOCKED(run) { .user = (run)->config->host.lock_user }
