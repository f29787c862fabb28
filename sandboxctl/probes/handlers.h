/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The processes "(sd-pam)" that systemd leaves behind each session and user manager, to close the
 * PAM session when it ends. They run as the user, in the view that the PAM module made. */

#include "conf/config.h"

#include <sys/types.h>

/* All of a user's; the caller frees them. Returns how many, or a negative errno. */
int handlers_find(uid_t uid, pid_t **ret);

/* Makes the calling process, root's, one of the sandbox's ids. It must never run a program then: it
 * stays one that the sandbox cannot trace only until execve(2), see PR_SET_DUMPABLE(2const). */
int handlers_become(const struct config_sandbox *sandbox);
