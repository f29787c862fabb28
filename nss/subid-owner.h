/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whose a range of subordinate ids is: a user known by name or by uid, a sandbox or not. */

#include "conf/cleanup.h"
#include "nss/subid-file.h"

struct owner {
    bool sandbox;
    char *name;   /* NULL: a uid without a name */
    bool has_uid; /* false: a name without a uid */
    uid_t uid;
};

/* Returns 0 and an owner that owner_done() frees, or a negative errno. A user that nobody knows is
 * an owner all the same: a line in his name is his. */
int owner_resolve(struct owner *owner, const char *text);
void owner_done(struct owner *owner);

#define _cleanup_owner_ _cleanup_(owner_done)

/* Whether a line is the owner's, by name or uid. */
bool owner_has(const struct owner *owner, const struct subid_line *line);

/* Whether a line is in another name of the owner's uid. Asks NSS for each line. */
bool owner_has_by_alias(const struct owner *owner, const struct subid_line *line);

/* The uid that a line of the sandboxes' file, or of the others', gives ids to. -ENOENT: nobody's,
 * as its name is not known, or as it is a line in /etc for a sandbox; or another negative errno. */
int owner_uid_of_line(const struct subid_line *line, bool sandboxes, uid_t *ret);
