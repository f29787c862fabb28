/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who is at the other end of a connection. The kernel wrote all of it down when the peer called
 * connect(2), so that nothing the peer does since changes it (unix(7): SO_PEERCRED, SO_PEERGROUPS,
 * SO_PEERPIDFD). */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
    uid_t uid; /* effective */
    pid_t pid; /* for messages: another process may have this number by now */
    int pidfd; /* of that process, and no other */
    gid_t *groups;
    size_t n_groups;
    /* Whether the uid is one of a user whom the host knows; -1: nobody looked. A subordinate id is
     * not, though it may come with all groups of its owner. */
    int is_user;
};

#define CALLER_INIT ((struct caller){ .pidfd = -1, .is_user = -1 })

/* Returns 0 or a negative errno; the caller frees what is in *ret in either case. */
int caller_of(int connection, struct caller *ret);

void caller_done(struct caller *caller);

/* Looks the uid up in NSS, once. */
bool caller_is_user(struct caller *caller);
