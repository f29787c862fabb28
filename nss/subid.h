/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The entry points of libsubid_sandbox.so, which shadow's libsubid loads for "subid: sandbox" in
 * nsswitch.conf(5). It asks that one plugin and nobody else, so this one answers for everybody:
 *
 *   a sandbox    from NSS_SUBUID_FILE and NSS_SUBGID_FILE, whatever /etc says about its name or uid
 *   anybody else from /etc/subuid and /etc/subgid, as shadow itself would
 *
 * A user is known by name or by uid. What is returned in an array is freed with
 * shadow_subid_free(); libsubid before 4.16 does not know that function and calls free(3). */

#include <shadow/subid.h>
#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

/* Whether owner may use all ids from start on; several ranges of his that touch count as one. */
enum subid_status shadow_subid_has_range(const char *owner, unsigned long start,
                                         unsigned long count, enum subid_type type, bool *result);

/* The ranges of owner, in the order of the file. No ranges: SUCCESS, *count 0 and *ranges NULL. */
enum subid_status shadow_subid_list_owner_ranges(const char *owner, enum subid_type type,
                                                 struct subid_range **ranges, int *count);

/* The uids, each once, of those who have id in one of their ranges. */
enum subid_status shadow_subid_find_subid_owners(unsigned long id, enum subid_type type,
                                                 uid_t **uids, int *count);

void shadow_subid_free(void *pointer);

#pragma GCC visibility pop
