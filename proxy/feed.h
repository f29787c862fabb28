/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The names of a threat feed: hosts that nothing reaches.
 *
 * A text with one name a line, or in the format of hosts(5): an address, which does not matter, and
 * names. '#' begins a comment, and "*." before a name changes nothing. A name stands for itself and
 * for every name below it, as whoever has a name has those below it, too. Names without a dot
 * (localhost, and what would be a whole top-level domain) are passed over. An IP address on a line
 * of its own is a name like another.
 *
 * A set in memory: a name takes its own bytes and less than twenty more, and a look-up one pass
 * over the host that is asked for, whatever the set's size. Does no input or output. */

#include <stdbool.h>
#include <stddef.h>

struct feed;

/* Returns 0 and a set, -EBADMSG when more than one line in a hundred is neither, with the number of
 * the first in *line, or -ENOMEM. */
int feed_parse(const char *text, size_t size, struct feed **ret, unsigned *line);

/* Shares it; both take NULL. Not for several threads at the same time. */
struct feed *feed_ref(struct feed *feed);
void feed_unref(struct feed *feed);

static inline void feed_unrefp(struct feed **feed)
{
    feed_unref(*feed);
}

size_t feed_count(const struct feed *feed);

/* host as in struct policy_request. */
bool feed_has(const struct feed *feed, const char *host);
