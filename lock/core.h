/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who gets a core dump: kernel.core_pattern, core(5). */

#include <stdbool.h>
#include <stddef.h>

#define CORE_PATTERN_FILE "/proc/sys/kernel/core_pattern"

/* Whether, by a pattern, a program or a daemon gets what is dumped; by others a file does, or
 * nobody. */
bool core_pattern_hands_on(const char *pattern);

/* Copies the one that is in force to pattern, and says of it 1, 0 or a negative errno. */
int core_is_handed_on(char *pattern, size_t size);
