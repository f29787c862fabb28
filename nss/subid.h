/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Subordinate ids. What libsubid_sandbox.so answers, which is for everybody, since libsubid asks
 * the one plugin that "subid:" of nsswitch.conf(5) names and nobody else:
 *
 *   a sandbox    from NSS_SUBUID_FILE and NSS_SUBGID_FILE, whatever /etc says about its name or uid
 *   anybody else from /etc/subuid and /etc/subgid, as shadow itself would
 *
 * All functions return 0 or a negative errno; a returned array is freed with free(3). */

#include <shadow/subid.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether owner (name or uid) may use all ids from start on; ranges of his that touch count as
 * one. */
int subid_has_range(const char *owner, unsigned long start, unsigned long count,
                    enum subid_type type, bool *ret);

/* The ranges of owner, in the order of the file. No ranges: 0, *n 0 and *ret NULL. */
int subid_list_ranges(const char *owner, enum subid_type type, struct subid_range **ret, size_t *n);

/* The uids, each once, of those who have id in one of their ranges. Likewise. */
int subid_find_owners(unsigned long id, enum subid_type type, uid_t **ret, size_t *n);
