/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is in force for one session, read under the policy lock, so that a session never begins
 * with half of an old policy and half of a new one. */

#include <stdbool.h>

#include "conf/config.h"

/* A sandbox user's: every layer must hold. Waits while policy is being exchanged. proving: the
 * caller is the prover's own transaction, which runs while the lock is held and before the layers
 * are declared ready. Returns 0 and a configuration with the one sandbox in it, which the caller
 * frees, or a negative errno and in *reason what is wrong and what would put it right. */
int policy_load_sandbox(const char *name, bool proving, struct config **ret, const char **reason);

/* Anybody's: the host and run0 sections alone. *ret is NULL where nothing is in force. */
int policy_load_run0(struct config **ret, const char **reason);

/* Whether value is the nonce of the proof that is running now. */
bool policy_is_proving(const char *value);
