/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The programs by which a sandbox's processes may gain privilege. */

#include <stdbool.h>

#define N_SET_ID_PROGRAMS 2

extern const char *const set_id_programs[N_SET_ID_PROGRAMS];

bool set_id_program_allowed(const char *path);
