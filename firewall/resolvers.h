/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whom this host asks for addresses, resolv.conf(5). */

#include "firewall/ruleset.h"

#define RESOLVERS_FILE "/etc/resolv.conf"
/* More are not asked: MAXNS in <resolv.h> is 3, and other libraries take some more. */
#define RESOLVERS_MAX 8

/* The nameservers in the text of such a file, without scopes; of more than there is room for, the
 * first. Returns how many; none are this host, resolv.conf(5). */
size_t resolvers_parse(const char *text, size_t size, struct ruleset_address ret[RESOLVERS_MAX]);

/* The same of RESOLVERS_FILE; one that cannot be read names none. */
size_t resolvers_read(struct ruleset_address ret[RESOLVERS_MAX]);
