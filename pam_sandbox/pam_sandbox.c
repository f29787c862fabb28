/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The module's entry points, and the one place where results become PAM codes. What a session gets
 * is decided elsewhere: admission.h, policy.h, environment.h, limits.h, view.h. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/admission.h"
#include "pam_sandbox/environment.h"
#include "pam_sandbox/limits.h"
#include "pam_sandbox/policy.h"
#include "pam_sandbox/view.h"
#include "reaper/gate.h"

/* As long as a reaper may take with what a sandbox left, and no longer than a person waits. */
#define GATE_TIMEOUT_MSEC 30000

/* PAM data: the descriptor with which the session stands in the gate, reaper/gate.h. */
#define GATE_DATA "pam_sandbox.gate"

#define EXPORT __attribute__((visibility("default")))

/* Who asks for what. */
struct request {
    const char *user_name; /* the handle's */
    const char *service_name;
    enum admission_service service;
    bool is_sandbox;
    struct admission_user user; /* when it is one */
    bool proving;
};

static void request_done(struct request *request)
{
    admission_user_done(&request->user);
}

/* Whether a sandbox's user is on the asking side, as with su and sudo: the process's real uid, or
 * who the application says it acts for. */
static int refuse_caller(pam_handle_t *pamh, const char *service)
{
    _cleanup_(admission_user_done) struct admission_user caller = { 0 };
    const void *ruser = NULL;
    int r;

    r = pam_get_item(pamh, PAM_RUSER, &ruser);
    if (r != PAM_SUCCESS)
        return r;

    r = 0;
    if (getuid() != 0)
        r = admission_find_user(NSS_PASSWD_FILE, NULL, getuid(), &caller);
    if (r == 0 && ruser)
        r = admission_find_user(NSS_PASSWD_FILE, ruser, 0, &caller);
    if (r == 0)
        return PAM_SUCCESS;
    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "cannot read %s: %s", NSS_PASSWD_FILE, strerror(-r));
        return PAM_SYSTEM_ERR;
    }

    pam_syslog(pamh, LOG_NOTICE, "sandbox user %s may not use the service %s", caller.name,
               service);
    return PAM_PERM_DENIED;
}

static int request_from_handle(pam_handle_t *pamh, struct request *request)
{
    const void *service = NULL;
    const char *proving;
    int r;

    r = pam_get_item(pamh, PAM_SERVICE, &service);
    if (r != PAM_SUCCESS || !service)
        return PAM_SERVICE_ERR;
    r = pam_get_user(pamh, &request->user_name, NULL);
    if (r != PAM_SUCCESS || !request->user_name)
        return PAM_USER_UNKNOWN;

    request->service_name = service;
    request->service = admission_service(service);

    r = admission_find_user(NSS_PASSWD_FILE, request->user_name, 0, &request->user);
    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "cannot read %s: %s", NSS_PASSWD_FILE, strerror(-r));
        return PAM_SYSTEM_ERR;
    }
    request->is_sandbox = r > 0;

    proving = pam_getenv(pamh, PROVING_VARIABLE);
    request->proving = request->is_sandbox && proving && policy_is_proving(proving);
    return PAM_SUCCESS;
}

static int refuse_service(pam_handle_t *pamh, const struct request *request)
{
    pam_syslog(pamh, LOG_NOTICE,
               "sandbox user %s may not enter through the service %s; run0 --user=%s is the way in",
               request->user_name, request->service_name, request->user_name);
    return PAM_PERM_DENIED;
}

/* Names only: a value may be what the session must not see. */
static void log_removed(pam_handle_t *pamh, char *const *names)
{
    char list[1024];
    size_t length = 0;

    if (!*names)
        return;
    for (list[0] = '\0'; *names && length < sizeof list; names++)
        length += (size_t)snprintf(list + length, sizeof list - length, " %s", *names);

    pam_syslog(pamh, LOG_INFO, "removed from the session's environment:%s%s", list,
               length < sizeof list ? "" : "...");
}

/* Removes names and sets assignments. Removing a name that is not there is an error to PAM, so
 * remove holds only names that are. */
static int change_environment(pam_handle_t *pamh, char *const *remove, char *const *set)
{
    log_removed(pamh, remove);
    for (; *remove; remove++)
        if (pam_putenv(pamh, *remove) != PAM_SUCCESS) {
            pam_syslog(pamh, LOG_ERR, "cannot remove the variable %s from the session", *remove);
            return PAM_SESSION_ERR;
        }

    for (; *set; set++)
        if (pam_putenv(pamh, *set) != PAM_SUCCESS) {
            pam_syslog(pamh, LOG_ERR, "cannot set the variable %.*s for the session",
                       (int)strcspn(*set, "="), *set);
            return PAM_SESSION_ERR;
        }

    return PAM_SUCCESS;
}

static int fix_environment(pam_handle_t *pamh, const struct request *request,
                           const struct config_sandbox *sandbox, enum environment_phase phase)
{
    _cleanup_strv_ char **current = pam_getenvlist(pamh), **remove = NULL, **set = NULL;
    const struct environment_session session = {
        .sandbox = sandbox,
        .user = &request->user,
        .service = request->service,
        .phase = phase,
        .proving = request->proving,
    };

    if (!current || environment_plan(&session, current, &remove, &set) < 0)
        return PAM_BUF_ERR;

    return change_environment(pamh, remove, set);
}

static int deny_environment(pam_handle_t *pamh, const struct config *config)
{
    _cleanup_strv_ char **current = pam_getenvlist(pamh), **remove = NULL;
    char *const none[] = { NULL };

    if (!current || environment_plan_denied(config->run0.deny_env, current, &remove) < 0)
        return PAM_BUF_ERR;

    return change_environment(pamh, remove, none);
}

/* For the prover: which phases of the stack led here. */
static int leave_mark(pam_handle_t *pamh, const char *letter)
{
    const char *before = pam_getenv(pamh, PROVING_MARK);
    _cleanup_free_ char *variable = NULL;

    if (asprintf(&variable, PROVING_MARK "=%s%s", before ? before : "", letter) < 0)
        return PAM_BUF_ERR;

    return pam_putenv(pamh, variable);
}

static void free_item(pam_handle_t *pamh, void *data, int status)
{
    (void)pamh;
    (void)status;
    free(data);
}

/* Leaves the limits where pam_systemd looks for them when it opens the session. */
static int store_limits(pam_handle_t *pamh, const struct config_limits *limits)
{
    for (const struct limits_item *item = limits_items; item->key; item++) {
        char *value;
        int r;

        if (limits_format(item, limits, &value) < 0)
            return PAM_BUF_ERR;
        if (!value)
            continue;
        r = pam_set_data(pamh, item->key, value, free_item);
        if (r != PAM_SUCCESS) {
            free(value);
            return r;
        }
    }

    return PAM_SUCCESS;
}

static void close_gate(pam_handle_t *pamh, void *data, int status)
{
    int *gate = data;

    (void)pamh;
    (void)status;
    cleanup_closep(gate);
    free(gate);
}

/* From here to leave_gate() the reaper lets the sandbox be. The user manager is started by a
 * session that stands in the gate already. */
static int enter_gate(pam_handle_t *pamh, const struct request *request)
{
    int *gate, r;

    if (request->proving || request->service != ADMISSION_RUN0)
        return PAM_SUCCESS;

    gate = malloc(sizeof *gate);
    if (!gate)
        return PAM_BUF_ERR;
    *gate = gate_enter(request->user.uid, GATE_TIMEOUT_MSEC);
    if (*gate < 0) {
        pam_syslog(pamh, LOG_ERR,
                   "no session for sandbox user %s: cannot enter its gate in %s: %s%s",
                   request->user_name, GATE_DIR, strerror(-*gate),
                   *gate == -ETIMEDOUT ? "; what its last session left does not end, see "
                                         "journalctl -u pam-sandbox-reaper.service"
                                       : "");
        free(gate);
        return PAM_PERM_DENIED;
    }

    r = pam_set_data(pamh, GATE_DATA, gate, close_gate);
    if (r != PAM_SUCCESS)
        close_gate(pamh, gate, r);
    return r;
}

/* Before systemd forks its handler, which would stay in the gate as long as the session. */
static int leave_gate(pam_handle_t *pamh, const struct request *request)
{
    if (request->proving || request->service != ADMISSION_RUN0)
        return PAM_SUCCESS;

    return pam_set_data(pamh, GATE_DATA, NULL, NULL);
}

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
        return refuse_service(pamh, request);

    if ((r = enter_gate(pamh, request)) != PAM_SUCCESS ||
        (r = load_sandbox(pamh, request, &config)) != PAM_SUCCESS)
        return r;
    r = fix_environment(pamh, request, &config->sandboxes[0], ENVIRONMENT_ACCOUNT);
    if (r != PAM_SUCCESS)
        return r;
    if (request->proving && (r = leave_mark(pamh, "a")) != PAM_SUCCESS)
        return r;

    /* A user manager has no scope for them, and logind refuses a manager's session that brings
     * some; its limits are those of the user's slice. */
    if (request->service == ADMISSION_MANAGER)
        return PAM_SUCCESS;

    return store_limits(pamh, &config->sandboxes[0].limits);
}

/* Root's run0 and everybody else's: what the run0 section says. */
static int account_run0(pam_handle_t *pamh)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = load_run0(pamh, &config);

    if (r != PAM_SUCCESS || !config)
        return r == PAM_SUCCESS ? PAM_IGNORE : r;

    r = store_limits(pamh, &config->run0.limits);
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

    r = refuse_caller(pamh, request.service_name);
    if (r != PAM_SUCCESS)
        return r;
    if (request.service == ADMISSION_RUN0)
        return account_run0(pamh);

    return PAM_IGNORE;
}

static int count_session(pam_handle_t *pamh, const struct request *request, uint64_t limit)
{
    int count;

    if (limit == CONFIG_UNLIMITED || request->service != ADMISSION_RUN0)
        return PAM_SUCCESS;

    count = limits_count_sessions(request->user.uid);
    if (count < 0) {
        pam_syslog(pamh, LOG_ERR, "cannot count the sessions of %s: %s", request->user_name,
                   strerror(-count));
        return PAM_SESSION_ERR;
    }
    if ((uint64_t)count > limit) {
        pam_syslog(pamh, LOG_ERR,
                   "no session for sandbox user %s: %" PRIu64 " are open already; raise "
                   "limits/sessions and run sandboxctl apply to allow more",
                   request->user_name, limit);
        return PAM_PERM_DENIED;
    }

    return PAM_SUCCESS;
}

static int set_process_limits(pam_handle_t *pamh, const struct config_limits *limits)
{
    int r = limits_set_process(limits);

    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "cannot set limits/open-files to %" PRIu64 ": %s",
                   limits->open_files, strerror(-r));
        return PAM_SESSION_ERR;
    }

    return PAM_SUCCESS;
}

static int enter_view(pam_handle_t *pamh, const struct request *request,
                      const struct config_sandbox *sandbox)
{
    const struct view view = {
        .uid = request->user.uid,
        .home = request->user.home,
        .read_only = sandbox->filesystem_view,
        .private_tmp = sandbox->private_tmp,
        .private_paths = sandbox->private_paths,
    };
    struct view_error error;
    int r = view_enter(&view, &error);

    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "no session for sandbox user %s: cannot %s %s: %s%s%s",
                   request->user_name, error.action, error.path, strerror(-r),
                   error.remedy ? "; " : "", error.remedy ? error.remedy : "");
        return PAM_SESSION_ERR;
    }

    return PAM_SUCCESS;
}

static int open_sandbox(pam_handle_t *pamh, const struct request *request)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const struct config_sandbox *sandbox;
    int r;

    if (request->service == ADMISSION_OTHER)
        return refuse_service(pamh, request);

    r = load_sandbox(pamh, request, &config);
    if (r != PAM_SUCCESS)
        return r;
    sandbox = &config->sandboxes[0];

    if ((r = count_session(pamh, request, sandbox->limits.sessions)) != PAM_SUCCESS ||
        (r = set_process_limits(pamh, &sandbox->limits)) != PAM_SUCCESS ||
        (r = enter_view(pamh, request, sandbox)) != PAM_SUCCESS ||
        (r = fix_environment(pamh, request, sandbox, ENVIRONMENT_SESSION)) != PAM_SUCCESS ||
        (r = leave_gate(pamh, request)) != PAM_SUCCESS)
        return r;

    return request->proving ? leave_mark(pamh, "s") : PAM_SUCCESS;
}

static int open_run0(pam_handle_t *pamh)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = load_run0(pamh, &config);

    if (r != PAM_SUCCESS || !config)
        return r == PAM_SUCCESS ? PAM_IGNORE : r;

    if ((r = set_process_limits(pamh, &config->run0.limits)) != PAM_SUCCESS ||
        (r = deny_environment(pamh, config)) != PAM_SUCCESS)
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
