/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The homes of sandboxes, which hostile processes own: only STATE_HOME_DIR, which is root's, is
 * walked by name, and no symbolic link is followed in it. */

#include "nss/users-report.h"

/* A descriptor of STATE_HOME_DIR, or a negative errno; as dir_open(). */
int homes_open(int root, bool make, const struct report *report);

/* Whether the sandbox's home is its own, or not there: 0, or -EINVAL and a report. */
int home_check(int homes, const struct config_sandbox *sandbox, const struct report *report);

/* Makes the home unless it is there, and gives it mode 0700. It is given its name when it has its
 * owner: who is stopped in between leaves nothing that would be taken for somebody else's. */
int home_make(int homes, const struct config_sandbox *sandbox, const struct report *report);
