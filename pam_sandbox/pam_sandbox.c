/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The module's entry points: the order in which a session is decided on and made. What each step
 * does is in request.h and confine.h, what it decides in admission.h, policy.h, environment.h,
 * limits.h and view.h. */

#include <string.h>
#include <syslog.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

#include "conf/cleanup.h"
#include "pam_sandbox/confine.h"
#include "pam_sandbox/policy.h"
#include "pam_sandbox/request.h"

#define EXPORT __attribute__((visibility("default")))

static int load_sandbox(pam_handle_t *pamh, const struct request *request, struct config **ret)
{
    const char *reason = NULL;
    int r = policy_load_sandbox(request->user_name, request->proving, ret, &reason);

    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "no session for sandbox user %s: %s (%s)", request->user_name,
                   reason ? reason : "out of memory", strerror(-r));
        return PAM_PERM_DENIED;
    }

    return PAM_SUCCESS;
}

static int load_run0(pam_handle_t *pamh, struct config **ret)
{
    const char *reason = NULL;
    int r = policy_load_run0(ret, &reason);

    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "no run0 session: %s (%s)", reason ? reason : "out of memory",
                   strerror(-r));
        return PAM_SYSTEM_ERR;
    }

    return PAM_SUCCESS;
}

static int account_sandbox(pam_handle_t *pamh, const struct request *request)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r;

    if (request->service == ADMISSION_OTHER)
        return request_refuse_service(pamh, request);

    if ((r = confine_enter_gate(pamh, request)) != PAM_SUCCESS ||
        (r = load_sandbox(pamh, request, &config)) != PAM_SUCCESS)
        return r;
    r = confine_fix_environment(pamh, request, &config->sandboxes[0], ENVIRONMENT_ACCOUNT);
    if (r != PAM_SUCCESS)
        return r;
    if (request->proving && (r = confine_leave_mark(pamh, "a")) != PAM_SUCCESS)
        return r;

    /* A user manager has no scope for them, and logind refuses a manager's session that brings
     * some; its limits are those of the user's slice. */
    if (request->service == ADMISSION_MANAGER)
        return PAM_SUCCESS;

    return confine_store_limits(pamh, &config->sandboxes[0].limits);
}

/* Root's run0 and everybody else's: what the run0 section says. */
static int account_run0(pam_handle_t *pamh)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = load_run0(pamh, &config);

    if (r != PAM_SUCCESS || !config)
        return r == PAM_SUCCESS ? PAM_IGNORE : r;

    r = confine_store_limits(pamh, &config->run0.limits);
    return r == PAM_SUCCESS ? PAM_IGNORE : r;
}

EXPORT int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    _cleanup_(request_done) struct request request = { 0 };
    int r = request_from_handle(pamh, &request);

    (void)flags;
    (void)argc;
    (void)argv;

    if (r != PAM_SUCCESS)
        return r;
    if (request.is_sandbox)
        return account_sandbox(pamh, &request);

    r = request_refuse_caller(pamh, &request);
    if (r != PAM_SUCCESS)
        return r;
    if (request.service == ADMISSION_RUN0)
        return account_run0(pamh);

    return PAM_IGNORE;
}

static int open_sandbox(pam_handle_t *pamh, const struct request *request)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const struct config_sandbox *sandbox;
    int r;

    if (request->service == ADMISSION_OTHER)
        return request_refuse_service(pamh, request);

    r = load_sandbox(pamh, request, &config);
    if (r != PAM_SUCCESS)
        return r;
    sandbox = &config->sandboxes[0];

    if ((r = confine_require_session(pamh, request)) != PAM_SUCCESS ||
        (r = confine_count_session(pamh, request, sandbox->limits.sessions)) != PAM_SUCCESS ||
        (r = confine_set_process_limits(pamh, &sandbox->limits)) != PAM_SUCCESS ||
        (r = confine_enter_view(pamh, request, sandbox)) != PAM_SUCCESS ||
        (r = confine_fix_environment(pamh, request, sandbox, ENVIRONMENT_SESSION)) != PAM_SUCCESS ||
        (r = confine_leave_gate(pamh, request)) != PAM_SUCCESS)
        return r;

    return request->proving ? confine_leave_mark(pamh, "s") : PAM_SUCCESS;
}

static int open_run0(pam_handle_t *pamh)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = load_run0(pamh, &config);

    if (r != PAM_SUCCESS || !config)
        return r == PAM_SUCCESS ? PAM_IGNORE : r;

    if ((r = confine_set_process_limits(pamh, &config->run0.limits)) != PAM_SUCCESS ||
        (r = confine_deny_environment(pamh, config)) != PAM_SUCCESS)
        return r;

    return PAM_IGNORE;
}

EXPORT int pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    _cleanup_(request_done) struct request request = { 0 };
    int r = request_from_handle(pamh, &request);

    (void)flags;
    (void)argc;
    (void)argv;

    if (r != PAM_SUCCESS)
        return r;
    if (request.is_sandbox)
        return open_sandbox(pamh, &request);

    /* Who has the account phase ask about itself names here whom it becomes. */
    r = request_refuse_caller(pamh, &request);
    if (r != PAM_SUCCESS)
        return r;
    if (request.service == ADMISSION_RUN0)
        return open_run0(pamh);

    return PAM_IGNORE;
}

/* Runs as the sandbox user, in a process that it may kill: nothing may depend on it. */
EXPORT int pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh;
    (void)flags;
    (void)argc;
    (void)argv;

    return PAM_IGNORE;
}
