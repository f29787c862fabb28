/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/caller.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "conf/cleanup.h"

/* Since Linux 6.5; Debian 13's headers of the C library do not have it. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int get_groups(int connection, struct caller *caller)
{
    gid_t none;
    socklen_t size = 0;

    if (getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, &none, &size) == 0)
        return 0;
    if (errno != ERANGE)
        return -errno;
    /* The list belongs to the connection and cannot have grown since. */
    caller->groups = malloc(size);
    if (!caller->groups)
        return -ENOMEM;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, caller->groups, &size) < 0)
        return -errno;
    caller->n_groups = size / sizeof *caller->groups;
    return 0;
}

int caller_of(int connection, struct caller *ret)
{
    struct ucred ucred;
    socklen_t size = sizeof ucred;

    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &ucred, &size) < 0)
        return -errno;
    ret->uid = ucred.uid;
    ret->pid = ucred.pid;

    size = sizeof ret->pidfd;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &ret->pidfd, &size) < 0) {
        ret->pidfd = -1;
        return -errno; /* ESRCH: it is gone already */
    }

    int r = get_groups(connection, ret);
    if (r < 0)
        return r;
    /* The list is of supplementary groups. */
    gid_t *groups = reallocarray(ret->groups, ret->n_groups + 1, sizeof *groups);
    if (!groups)
        return -ENOMEM;
    ret->groups = groups;
    groups[ret->n_groups++] = ucred.gid;
    return 0;
}

void caller_done(struct caller *caller)
{
    if (caller->pidfd >= 0)
        close(caller->pidfd);
    free(caller->groups);
    *caller = CALLER_INIT;
}

bool caller_is_user(struct caller *caller)
{
    char buffer[16384];
    struct passwd entry, *found = NULL;

    if (caller->is_user < 0)
        caller->is_user =
            getpwuid_r(caller->uid, &entry, buffer, sizeof buffer, &found) == 0 && found;
    return caller->is_user;
}
