/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Paths of HTTP requests, and the patterns that rules describe them with.
 *
 * A rule must not allow a path that the server takes for another one. So a path is brought into one
 * form before it is matched, and that form is what is sent; and what servers are known to read in
 * different ways (an encoded slash, a parameter after ';', a backslash, an empty segment) is
 * matched by a pattern that spells it out and never by a wildcard. egress.conf(5), PATHS. */

#include <stdbool.h>
#include <stddef.h>

/* What may be a whole pattern, or a path in messages. */
#define EGRESS_PATTERN_MAX 1024

/* Brings a path, without its query, into that form: %XX of unreserved characters is decoded, then
 * dot segments are removed (RFC 3986, 6.2.2.2 and 5.2.4); all else stays byte for byte. In place,
 * and never longer. Returns 0 and the new size, or -EBADMSG: it does not begin with '/', or it has
 * a
 * '%' without two hex digits, '?', '#', a space or a control character. */
int egress_normalise_path(char *path, size_t *size);

/* Whether a pattern (one that rule_egress_path() accepts) matches a path in that form. '*' is any
 * number of plain characters in one segment, and at least one where it is the whole segment; "**",
 * always a whole segment, is one or more segments of plain characters, none of them empty. The time
 * grows with the product of the sizes at most. */
bool egress_match_path(const char *pattern, const char *path, size_t size);
