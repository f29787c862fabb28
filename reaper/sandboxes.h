/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which uids are sandboxes', read again whenever the snapshot was exchanged. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct sandboxes {
    uid_t *uids; /* ascending */
    size_t n_uids;
    struct stat seen; /* of the snapshot they are from */
};

/* Brings the list up to date. When the snapshot is gone or cannot be read, the list stays as it
 * was: whoever was a sandbox a moment ago may have sessions. Returns 0 or a negative errno. */
int sandboxes_refresh(struct sandboxes *sandboxes);

/* Whether uid is a sandbox's. */
bool sandboxes_contain(const struct sandboxes *sandboxes, uid_t uid);

void sandboxes_done(struct sandboxes *sandboxes);
