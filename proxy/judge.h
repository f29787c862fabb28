/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which addresses the proxy may connect to.
 *
 * Promises: every address that is not globally reachable unicast is refused, with the reason, and
 * so are the forms that carry an IPv4 address in an IPv6 one, whatever is in them. The ranges are a
 * table that the firewall loads as well. Here is data alone; that an address belongs to this host
 * is what route.h finds out. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct judge_range {
    int family;          /* AF_INET or AF_INET6 */
    uint8_t address[16]; /* network byte order; the first 4 for AF_INET */
    unsigned prefix;     /* bits */
    const char *why;     /* "private", "loopback" and so on */
};

extern const struct judge_range judge_ranges[];
extern const size_t n_judge_ranges;

/* NULL: may be connected to; otherwise what it is. */
const char *judge_address(const struct sockaddr *address);
