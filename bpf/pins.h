/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where the policy lives while nobody runs: a directory of pins, root's and 0700. A new set is
 * pinned beside the old one and exchanged with it as a whole. Names there have no dots, which bpffs
 * keeps for itself. All functions return 0 or a negative errno. */

#include <bpf/libbpf.h>

/* What names of links begin with. */
#define PINS_LINK_PREFIX "link_"

/* Keeps two loaders apart until the caller closes the descriptor. -ENOTSUP: no bpffs is there. */
int pins_lock(int *ret_fd);

/* An empty directory for the new set, in place of one that was left half-made. */
int pins_begin(void);
int pins_add_map(struct bpf_map *map, const char *name);
int pins_add_link(struct bpf_link *link, const char *name);

/* The new set takes the old one's place, and what the old one alone held goes. Until this returns 0
 * the old one stands as before. */
int pins_commit(void);

/* The new set goes, as far as it was made. */
int pins_abandon(void);

/* Both go; no program of theirs runs any more when this returns. -ETIMEDOUT: one still does after
 * five seconds. */
int pins_remove(void);
