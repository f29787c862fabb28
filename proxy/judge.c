/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/judge.h"

#include <netinet/in.h>
#include <string.h>

#define V4(a, b, c, d, bits, text) { AF_INET, { a, b, c, d }, bits, text }
#define V6(bits, text, ...) { AF_INET6, { __VA_ARGS__ }, bits, text }

/* The special-purpose registries of IANA (RFC 6890 and its updates), all that they do not call
 * globally reachable; and what is in use beside them. */
const struct judge_range judge_ranges[] = {
    V4(0, 0, 0, 0, 8, "this network"),
    V4(10, 0, 0, 0, 8, "private"),
    V4(100, 64, 0, 0, 10, "carrier-grade NAT"),
    V4(127, 0, 0, 0, 8, "loopback"),
    /* Azure's host agent: a public address that is link-local in effect. */
    V4(168, 63, 129, 16, 32, "cloud metadata"),
    V4(169, 254, 0, 0, 16, "link-local"),
    V4(172, 16, 0, 0, 12, "private"),
    V4(192, 0, 0, 0, 24, "reserved"),
    V4(192, 0, 2, 0, 24, "documentation"),
    V4(192, 88, 99, 0, 24, "6to4 relay"),
    V4(192, 168, 0, 0, 16, "private"),
    V4(198, 18, 0, 0, 15, "benchmarking"),
    V4(198, 51, 100, 0, 24, "documentation"),
    V4(203, 0, 113, 0, 24, "documentation"),
    V4(224, 0, 0, 0, 4, "multicast"),
    V4(240, 0, 0, 0, 4, "reserved"),
    /* Within 2000::/3, the only block that IANA has given out for global unicast. */
    V6(32, "Teredo", 0x20, 0x01, 0x00, 0x00),
    V6(23, "reserved", 0x20, 0x01, 0x00),
    V6(32, "documentation", 0x20, 0x01, 0x0d, 0xb8),
    V6(16, "6to4", 0x20, 0x02),
    V6(20, "documentation", 0x3f, 0xff, 0x00),
    /* And everything else, by name where there is one. */
    V6(128, "unspecified", 0),
    V6(128, "loopback", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    V6(96, "IPv4-mapped", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),
    V6(96, "NAT64", 0x00, 0x64, 0xff, 0x9b),
    V6(48, "NAT64", 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01),
    V6(7, "private", 0xfc),
    V6(10, "link-local", 0xfe, 0x80),
    V6(8, "multicast", 0xff),
    V6(3, "reserved", 0x00),
    V6(3, "reserved", 0x40),
    V6(3, "reserved", 0x60),
    V6(3, "reserved", 0x80),
    V6(3, "reserved", 0xa0),
    V6(3, "reserved", 0xc0),
    V6(3, "reserved", 0xe0),
};
const size_t n_judge_ranges = sizeof(judge_ranges) / sizeof(judge_ranges[0]);

static bool in_range(const uint8_t *address, const struct judge_range *range)
{
    size_t bytes = range->prefix / 8;
    unsigned bits = range->prefix % 8;

    if (memcmp(address, range->address, bytes) != 0)
        return false;
    return bits == 0 || (uint8_t)((address[bytes] ^ range->address[bytes]) >> (8 - bits)) == 0;
}

const char *judge_address(const struct sockaddr *address)
{
    const uint8_t *bytes;

    if (address->sa_family == AF_INET)
        bytes = (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
    else if (address->sa_family == AF_INET6)
        bytes = (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    else
        return "not an IP address";

    for (size_t i = 0; i < n_judge_ranges; i++)
        if (judge_ranges[i].family == address->sa_family && in_range(bytes, &judge_ranges[i]))
            return judge_ranges[i].why;
    return NULL;
}
