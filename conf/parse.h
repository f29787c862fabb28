/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Text to values, by libconfuse. Private to conf/. */

#include "conf/merge.h"

/* Reads the text of one file, named path in messages, into merge. What is wrong with it is
 * reported; returns 0 or -ENOMEM. */
int parse_text(struct merge *merge, const char *path, const char *text, size_t size);
