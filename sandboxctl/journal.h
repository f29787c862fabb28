/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* Prints to stderr, indented, what the processes of a system unit have logged since a moment
 * (realtime, microseconds): when a unit fails, the reason is what it said. Silent when the journal
 * cannot be read. */
void journal_print_unit(const char *unit, uint64_t since_usec);
