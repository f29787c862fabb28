/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The slice of a user in the cgroup tree (cgroup v2, as systemd lays it out). */

#include <stdbool.h>
#include <sys/types.h>

/* Opens the directory that holds the slices of all users. Returns a descriptor or a negative
 * errno. */
int cgroup_open_users(void);

/* Whether uid has a slice: 1 or 0. systemd keeps it as long as any unit in it is active, also one
 * that nothing runs in (StopWhenUnneeded= in user-.slice.d, systemd.special(7)). */
int cgroup_has_slice(int users_fd, uid_t uid);

/* Goes through the units in the slice of uid that something runs in, user-runtime-dir@UID.service
 * excepted, and kills it there if kill is set. users_fd: from cgroup_open_users(). Returns 1 when
 * there was any, 0 when not or when there is no such slice, or a negative errno. */
int cgroup_visit_slice(int users_fd, uid_t uid, bool kill);
