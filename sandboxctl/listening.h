/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* On which ports of 127.0.0.1 systemd listens. It may take a socket unit for active whose socket is
 * gone: it closes one that the unit, read anew, does not name any more, and opens no other before
 * the unit is restarted. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct listening {
    uint8_t ports[65536 / 8];
};

/* Sockets by their inodes, in ascending order. */
struct listening_sockets {
    uint64_t *inodes;
    size_t n;
};

/* From the file that proc(5) has at /proc/net/tcp: root's listeners that are among held; NULL: all
 * of them. Lines that are not understood are passed over. */
void listening_parse(FILE *file, const struct listening_sockets *held, struct listening *ret);

/* Of this host. Whom process 1 does not show its descriptors gets every listener of root's. Returns
 * 0 or a negative errno. */
int listening_read(struct listening *ret);

bool listening_has(const struct listening *listening, uint16_t port);
