/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What of a raw head is refused, whatever llhttp thinks of it: the differences between parsers that
 * request smuggling lives on. */

#include <stddef.h>

#include "proxy/h1.h"

/* Looks for the end of the head in data, of which *scanned bytes were looked at before, and *line
 * is where the last line of them began. Returns 1 and moves *scanned behind the empty line; 0:
 * more is needed; -EBADMSG and *ret_problem: a CR, LF or NUL that does not belong there. */
int h1_strict_scan(const char *data, size_t size, size_t *scanned, size_t *line,
                   const char **ret_problem);

/* Looks at a whole head, as h1_strict_scan() found it. 0, or an HTTP status and *ret_problem. */
int h1_strict_check(enum h1_kind kind, const char *data, size_t size, const char **ret_problem);
