/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A session's environment is a list of its own: what is not on it goes, whoever put it there.
 *
 * systemd hands everything it would pass to the session to PAM before the stack runs, and takes
 * back what the stack leaves (systemd src/core/exec-invoke.c, setup_pam()), so these lists are the
 * whole environment. Plain functions: they say what to remove and set, the module does it. */

#include "conf/config.h"
#include "pam_sandbox/admission.h"

enum environment_phase {
    /* Before pam_systemd, which reads XDG_SESSION_CLASS and its like from this environment and
     * believes them: only what nobody acts on may stay. */
    ENVIRONMENT_ACCOUNT,
    /* After it: what pam_systemd said of the session stays. */
    ENVIRONMENT_SESSION,
};

struct environment_session {
    const struct config_sandbox *sandbox;
    const struct admission_user *user;
    enum admission_service service; /* ADMISSION_RUN0 or ADMISSION_MANAGER */
    enum environment_phase phase;
    bool for_java; /* its proxy's authority is in a store for the JVM, proxied.h */
    bool proving;  /* the prover's nonce and mark stay, paths.h */
};

/* current: NAME=VALUE strings, NULL-terminated. On success *ret_remove holds the names that must
 * go, and *ret_set the NAME=VALUE strings that must be there; the caller frees both vectors.
 * Returns 0 or -ENOMEM. */
int environment_plan(const struct environment_session *session, char *const *current,
                     char ***ret_remove, char ***ret_set);

/* The names in current that match one of the fnmatch(3) patterns: what every run0 session loses.
 * Returns 0 or -ENOMEM; the caller frees the vector. */
int environment_plan_denied(char *const *patterns, char *const *current, char ***ret_remove);
