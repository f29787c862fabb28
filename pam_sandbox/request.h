/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A transaction as it meets the module: who enters or asks, through which service. All functions
 * return a PAM code, after a line in the journal where it is not PAM_SUCCESS. */

#include <stdbool.h>

#include <security/pam_modules.h>

#include "pam_sandbox/admission.h"

struct request {
    const char *user_name; /* the handle's, as is the next */
    const char *service_name;
    enum admission_service service;
    bool is_sandbox;
    struct admission_user user; /* when it is one */
    bool proving;               /* the prover's own transaction */
};

/* Fills *request, which the caller releases, also after an error. */
int request_from_handle(pam_handle_t *pamh, struct request *request);
void request_done(struct request *request);

/* PAM_PERM_DENIED when a sandbox's user is on the asking side, as with su and sudo: the process's
 * real uid, or who the application says it acts for. And when it is the user of host { lock-user },
 * who asks to become somebody else. */
int request_refuse_caller(pam_handle_t *pamh, const struct request *request);

/* PAM_PERM_DENIED, for a sandbox user that comes by a service that is closed to it. */
int request_refuse_service(pam_handle_t *pamh, const struct request *request);
