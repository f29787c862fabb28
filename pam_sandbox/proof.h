/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whether a PAM service leads a sandbox user's session through the module, found out by opening
 * one. A stack is proven, not read: includes, jumps and another module's success can all lead past
 * a line that stands in the file. */

#include "conf/config.h"
#include "pam_sandbox/admission.h"

/* Runs one transaction of service for user on a stage of its own, in a child process, with nonce as
 * the prover's. Returns 0 when the module was asked in both phases and had the last word, else a
 * negative errno after saying on stderr what is wrong, which file is to blame and what would put
 * it right. */
int proof_run(const char *service, const struct config_sandbox *sandbox,
              const struct admission_user *user, const char *nonce);
