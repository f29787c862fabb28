/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What changes from one configuration to another, option by option. */

#include "conf/config.h"

/* Prints one line a change and counts them: sandboxes that come and go, options that get another
 * value, with the file and line that say so. old NULL: nothing was in force. Returns 0 or a
 * negative errno. */
int diff_print(const struct config *old, const struct config *new, FILE *out, size_t *n_changes);
