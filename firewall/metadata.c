/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/metadata.h"

#include <sys/socket.h>

#define V4(...)                                                                                    \
    {                                                                                              \
        AF_INET,                                                                                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define V6(...)                                                                                    \
    {                                                                                              \
        AF_INET6,                                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const struct ruleset_address metadata_addresses[] = {
    /* AWS, Azure, Google, OpenStack, Oracle, DigitalOcean, Hetzner and others. */
    V4(169, 254, 169, 254),
    V6(0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54),
    V6(0xfd, 0x20, 0x00, 0xce, [14] = 0x02, [15] = 0x54),
    V6(0xfe, 0x80, [12] = 0xa9, 0xfe, 0xa9, 0xfe),
    /* AWS: credentials of tasks, and of pods. */
    V4(169, 254, 170, 2),
    V4(169, 254, 170, 23),
    V6(0xfd, 0x00, 0x0e, 0xc2, [15] = 0x23),
    /* Azure's host agent, the WireServer: keys and extensions' settings. */
    V4(168, 63, 129, 16),
    /* Alibaba Cloud. */
    V4(100, 100, 100, 200),
    /* Oracle, before it took the common one. */
    V4(192, 0, 0, 192),
};
const size_t n_metadata_addresses = sizeof metadata_addresses / sizeof *metadata_addresses;
