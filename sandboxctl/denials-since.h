/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Times as people write them, in the forms of systemd.time(7) that make sense for the past. */

#include <stdint.h>

/* The moment that text means, in microseconds of CLOCK_REALTIME; now_usec is when it is said:
 *
 *   now, today, yesterday        the last two at midnight
 *   90s, 5min ago, 1h 30min ago  so long before now; units s, min, h, d, w and their longer names
 *   12:00, 12:00:30              of today
 *   2026-01-02, 2026-01-02 12:00, 2026-01-02 12:00:30
 *   2026-01-02T12:00:30Z, 2026-01-02T12:00:30.5+01:00   RFC 3339
 *   @1767355200                  seconds since 1970
 *
 * in local time where none is said; " UTC" may stand behind. Returns 0, or -EINVAL for what is none
 * of this, or no such time. */
int denials_since_parse(const char *text, uint64_t now_usec, uint64_t *ret);
