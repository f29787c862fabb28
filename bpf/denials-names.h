/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the sandboxes are called, read again whenever the snapshot was exchanged. */

#include "conf/config.h"

#include <sys/stat.h>

struct denials_names {
    struct config *config;
    struct stat seen; /* of the snapshot that it is from */
    char *locked;     /* the name that was found last */
};

/* NULL: no sandbox of this uid is known, nor is it who is locked. Valid until the next call. When
 * the snapshot is gone or cannot be read, the names stay: what ran a moment ago is still denied
 * things. */
const char *denials_names_find(struct denials_names *names, uid_t uid);

void denials_names_done(struct denials_names *names);
