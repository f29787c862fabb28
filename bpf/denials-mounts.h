/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A program in the kernel tells a file by its file system and its path in there. People look for it
 * below a mount point. */

#include <stdio.h>

#include "bpf/denial-entry.h"

/* The path of an object that is OBJECT_IN_DEVICE, by the text of /proc/PID/mountinfo. 0; -ENOENT:
 * no mount there leads to it; -ENAMETOOLONG. */
int denials_mounts_find(FILE *mountinfo, const struct denial *denial, char path[DENIAL_PATH_SIZE]);
