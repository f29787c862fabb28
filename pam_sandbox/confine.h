/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Giving a session what it gets, by the PAM handle or the calling process, which becomes the
 * session. All functions return a PAM code, after a line in the journal where it is not PAM_SUCCESS
 * or PAM_BUF_ERR. */

#include <security/pam_modules.h>

#include "conf/config.h"
#include "pam_sandbox/environment.h"
#include "pam_sandbox/request.h"

/* The sandbox's own list of variables, as environment.h has it for the phase. */
int confine_fix_environment(pam_handle_t *pamh, const struct request *request,
                            const struct config_sandbox *sandbox, enum environment_phase phase);

/* Takes the variables away that the run0 section denies to everybody. */
int confine_deny_environment(pam_handle_t *pamh, const struct config *config);

/* For the prover: appends letter to the mark, paths.h. */
int confine_leave_mark(pam_handle_t *pamh, const char *letter);

/* Leaves the limits where pam_systemd looks for them when it opens the session. */
int confine_store_limits(pam_handle_t *pamh, const struct config_limits *limits);

/* The limits of the calling process. */
int confine_set_process_limits(pam_handle_t *pamh, const struct config_limits *limits);

/* PAM_SESSION_ERR when pam_systemd, which is optional in the stacks, registered no session: without
 * one there is no scope with the sandbox's limits, and nobody to reap it. */
int confine_require_session(pam_handle_t *pamh, const struct request *request);

/* PAM_PERM_DENIED when the session is one more than limit. */
int confine_count_session(pam_handle_t *pamh, const struct request *request, uint64_t limit);

/* Moves the calling process into the sandbox's view of the file system. */
int confine_enter_view(pam_handle_t *pamh, const struct request *request,
                       const struct config_sandbox *sandbox);

/* Between the two the reaper lets the sandbox be. The user manager is started by a session that
 * stands in the gate already, so this is about run0 alone. */
int confine_enter_gate(pam_handle_t *pamh, const struct request *request);

/* Before systemd forks its handler, which would stay in the gate as long as the session. */
int confine_leave_gate(pam_handle_t *pamh, const struct request *request);
