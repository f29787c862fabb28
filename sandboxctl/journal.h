/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sandboxctl/layers.h"

#include <stdint.h>

/* What a layer's processes have logged since a moment (realtime, microseconds), as a vector of
 * lines without control characters: when its unit fails, the reason is what it said. NULL: nothing,
 * or the journal cannot be read. */
char **journal_of_layer(const struct layer *layer, uint64_t since_usec);

/* Prints that to stderr, indented. */
void journal_print_layer(const struct layer *layer, uint64_t since_usec);
