/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a user holds right now. STATUS_UNKNOWN where it cannot be told. */

#include <stdint.h>
#include <sys/types.h>

/* Open sessions as logind knows them, without the user manager's own. */
uint64_t usage_sessions(uid_t uid);

/* A number from the control group of all that the user runs; 0 when it runs nothing. */
uint64_t usage_of_slice(uid_t uid, const char *attribute);
