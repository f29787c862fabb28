/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who is locked: the names that the user goes by, since several lines of passwd(5) may have one
 * uid, and what asks by uid gets the first of them. */

#include <stdio.h>
#include <sys/types.h>

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
