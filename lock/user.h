/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who is locked: the names that the user goes by, since several lines of passwd(5) may have one
 * uid, and what asks by uid gets the first of them. */

#include <stdio.h>
#include <sys/types.h>

#include "conf/config.h"

struct lock_user {
    uid_t uid;
    gid_t gid;
    char **names; /* the first is one that was asked for */
    char *lines;  /* of passwd(5) */
};

/* Reads the user of that name, and everybody with the same uid; name NULL: the first there is. 1
 * and *ret, which the caller releases; 0: there is none; or a negative errno. */
int lock_user_read(FILE *passwd, const char *name, struct lock_user *ret);
void lock_user_done(struct lock_user *user);

/* Likewise the one who is locked on the running system. */
int lock_user_in_force(struct lock_user *ret);

/* The subordinate ids that /etc/subuid and, or, /etc/subgid give to one of its names or its uid,
 * appended to *ids, which the caller frees, each once. 0 or a negative errno. */
enum {
    LOCK_SUBUIDS = 1 << 0,
    LOCK_SUBGIDS = 1 << 1,
};
int lock_user_ranges(const struct lock_user *user, unsigned which, struct config_id_range **ids,
                     size_t *n);

/* Those of one file; for lock_user_ranges() and tests. */
int lock_user_ranges_in(const struct lock_user *user, FILE *file, struct config_id_range **ids,
                        size_t *n);
