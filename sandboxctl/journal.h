/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sandboxctl/layers.h"

#include <stdint.h>

/* Prints to stderr, indented, what a layer's processes have logged since a moment (realtime,
 * microseconds): when its unit fails, the reason is what it said. Silent when the journal cannot
 * be read. */
void journal_print_layer(const struct layer *layer, uint64_t since_usec);
