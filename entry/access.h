/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who may enter which sandbox. Names of users and groups are looked up when the snapshot is read,
 * so that the question itself asks nobody. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "conf/config.h"
#include "entry/caller.h"

/* One of those named in allow-users or allow-groups of a sandbox. */
struct access_grant {
    const struct config_sandbox *sandbox;
    bool is_group;
    uint32_t id;
};

struct access {
    struct config *config; /* NULL: nothing is in force, and nobody may enter */
    struct access_grant *grants;
    size_t n_grants;
    struct stat seen;       /* of the snapshot */
    uint64_t resolved_usec; /* when the names were looked up */
};

/* Brings *access up to date with the snapshot below root. again: looks the names up once more, if
 * that was not done within the last second, as users may have come since. When the snapshot cannot
 * be read, nobody but root may enter. Returns 0 or a negative errno. */
int access_refresh(struct access *access, const char *root, bool again);

void access_done(struct access *access);

/* Root always may, but for sandboxes that are not there. A sandbox, and whatever has one of its
 * subordinate ids, never may. */
bool access_may_enter(const struct access *access, struct caller *caller,
                      const struct config_sandbox *sandbox);

/* Whether there is any that the caller may enter. */
bool access_may_enter_any(const struct access *access, struct caller *caller);
