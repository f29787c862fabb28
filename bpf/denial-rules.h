/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What each program denies, in words, as one table: the log, `sandboxctl denials`, the catalog and
 * pam-sandbox-denials(8) speak by it. */

#include "bpf/policy.h"

struct denial_rule {
    const char *program; /* "world-write" */
    const char *what;    /* was denied */
    const char *allowed; /* which option or change would allow it */
};

/* By enum policy_program. */
extern const struct denial_rule denial_rules[N_PROGRAMS];
