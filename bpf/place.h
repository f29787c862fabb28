/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where a program stands, as the kernel knows it: file system, directory, name. */

#include <stdint.h>
#include <stdio.h>

#include "bpf/policy.h"

/* A device number as in struct policy_file. */
#define PLACE_DEVICE(major, minor) ((uint32_t)(major) << 20 | (uint32_t)(minor))

/* The place of an absolute path. Links on the way and at its end are followed, as execve(2) would.
 * Returns 0 or a negative errno; -ENOENT: there is no such file. */
int place_find(const char *path, struct policy_file *ret);

/* The device of the super block of a mount, in the text of /proc/PID/mountinfo. What stat(2) says
 * is another one on file systems with subvolumes. -ENOENT: the mount is not in there. */
int place_find_device(FILE *mountinfo, uint64_t mount_id, uint32_t *ret);
