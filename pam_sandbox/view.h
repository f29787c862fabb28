/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A session's view of the file system: a mount namespace in which everything is read-only but what
 * is the sandbox's own.
 *
 * It is made by the process that becomes the session, before systemd forks its (sd-pam) handler
 * from it, so that the handler is inside too. Mounts made on the host later do not arrive: the
 * namespace receives nothing. It is a peer group of its own all the same, since rootless container
 * tools want / to be shared.
 *
 * No path that a sandbox user could change is walked by name: every directory is opened once, with
 * symbolic links refused, and what is mounted where is said with descriptors.
 *
 * Not a boundary against: a privileged process of the host, the kernel, reading what is readable
 * for everybody, or talking to a socket, which a read-only mount does not prevent. */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct view {
    uid_t uid;
    const char *home;
    bool read_only;             /* the read-only tree with its holes, and the private /proc */
    bool private_tmp;           /* /tmp, /var/tmp and /dev/shm of the sandbox's own */
    char *const *private_paths; /* directories to cover; NULL-terminated, absolute */
    const char *trusted;        /* with read_only: what takes the place of SYSTEM_BUNDLE, or NULL */
};

/* What could not be done, for the message. */
struct view_error {
    const char *action;
    char path[PATH_MAX];
    const char
        *remedy; /* what would put it right; NULL when nothing better than the errno is known */
};

/* Moves the calling process, which is single-threaded and privileged, into a new mount namespace
 * with this view; with a view that asks for nothing it does nothing. Returns 0 or a negative errno
 * with *error filled; after an error the process is in an unfinished namespace and must end. */
int view_enter(const struct view *view, struct view_error *error);
