/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whom a request is for: one identity, normalised in one place, so that two names are compared byte
 * for byte and nobody downstream has to know another spelling.
 *
 * Promises: what comes out is a lower-case host name of A-labels without a trailing dot, or an IP
 * literal as inet_ntop(3) writes it; anything that some resolver would read as an address without
 * being one here (all-numeric labels at the end, octal, hexadecimal) is refused. No allocation. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RFC 1035, 2.3.4: 253 without the trailing dot; and a NUL. */
#define HOST_SIZE 254

struct identity {
    char host[HOST_SIZE]; /* no brackets */
    bool literal;         /* an IP address */
    bool v6;
    uint16_t port; /* host byte order; 0: none was given */
};

/* A host alone, as in the server name of a TLS handshake; IPv6 literals without brackets. 0 or
 * -EINVAL. */
int host_normalise(const char *text, size_t size, struct identity *ret);

/* host, host:port or [v6]:port. Returns 0, or -EINVAL and in *ret_problem a constant that says what
 * is wrong. */
int host_parse_authority(const char *text, size_t size, struct identity *ret,
                         const char **ret_problem);

/* The same host; ports are the caller's matter. */
bool host_equal(const struct identity *a, const struct identity *b);

/* Writes host, or host:port if the port is not standard_port, with brackets where they belong. */
#define AUTHORITY_SIZE (HOST_SIZE + 8)
size_t host_format_authority(const struct identity *identity, uint16_t standard_port,
                             char ret[static AUTHORITY_SIZE]);
