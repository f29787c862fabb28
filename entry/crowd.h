/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How many connections each user has, so that nobody takes the place of all others. */

#include <stddef.h>
#include <sys/types.h>

/* Of one user other than root; of all of them; and how many root has beside those. */
#define CROWD_USER_MAX 512
#define CROWD_ALL_MAX 2048
#define CROWD_ROOT_MAX 1024

struct crowd_user {
    uid_t uid;
    size_t n;
};

struct crowd {
    struct crowd_user *users; /* who has any */
    size_t n_users;
    size_t all; /* root's not among them */
};

/* Returns 0; -EUSERS when there are too many; -ENOMEM. */
int crowd_enter(struct crowd *crowd, uid_t uid);

/* For each crowd_enter() that returned 0. */
void crowd_leave(struct crowd *crowd, uid_t uid);

void crowd_done(struct crowd *crowd);
