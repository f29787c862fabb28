/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How many connections and sessions each user has, so that nobody takes the place of all others. */

#include <stddef.h>
#include <sys/types.h>

/* Of one user other than root; of all of them; and how many root has beside those. */
#define CROWD_USER_MAX 512
#define CROWD_ALL_MAX 2048
#define CROWD_ROOT_MAX 1024

/* Of one user; of all but root; and of all. Each is one connection of root's to the system's bus,
 * by run0, and that has 256 for all that is root's on the host (max_connections_per_user in
 * dbus-daemon(1)): the rest is for others. */
#define CROWD_USER_SESSIONS_MAX 200
#define CROWD_OTHERS_SESSIONS_MAX 216
#define CROWD_SESSIONS_MAX 224

struct crowd_user {
    uid_t uid;
    size_t n;
    size_t sessions;
};

struct crowd {
    struct crowd_user *users; /* who has any */
    size_t n_users;
    size_t all; /* root's not among them */
    size_t sessions;
    size_t others_sessions; /* that are not root's */
};

/* Returns 0; -EUSERS when there are too many; -ENOMEM. */
int crowd_enter(struct crowd *crowd, uid_t uid);

/* For each crowd_enter() that returned 0. */
void crowd_leave(struct crowd *crowd, uid_t uid);

/* The same for sessions, of who has a connection. */
int crowd_open_session(struct crowd *crowd, uid_t uid);
void crowd_close_session(struct crowd *crowd, uid_t uid);

void crowd_done(struct crowd *crowd);
