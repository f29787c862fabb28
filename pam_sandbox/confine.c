/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include <security/pam_ext.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/confine.h"
#include "pam_sandbox/environment.h"
#include "pam_sandbox/limits.h"
#include "pam_sandbox/proxied.h"
#include "pam_sandbox/view.h"
#include "reaper/gate.h"

/* As long as a reaper may take with what a sandbox left, and no longer than a person waits. */
#define GATE_TIMEOUT_MSEC 30000

/* PAM data: the descriptor with which the session stands in the gate, reaper/gate.h. */
#define GATE_DATA "pam_sandbox.gate"

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

int confine_fix_environment(pam_handle_t *pamh, const struct request *request,
                            const struct config_sandbox *sandbox, enum environment_phase phase)
{
    _cleanup_strv_ char **current = pam_getenvlist(pamh), **remove = NULL, **set = NULL;
    const struct environment_session session = {
        .sandbox = sandbox,
        .user = &request->user,
        .service = request->service,
        .phase = phase,
        .for_java = proxied_for_java(sandbox),
        .proving = request->proving,
    };

    if (!current || environment_plan(&session, current, &remove, &set) < 0)
        return PAM_BUF_ERR;

    return change_environment(pamh, remove, set);
}

int confine_deny_environment(pam_handle_t *pamh, const struct config *config)
{
    _cleanup_strv_ char **current = pam_getenvlist(pamh), **remove = NULL;
    char *const none[] = { NULL };

    if (!current || environment_plan_denied(config->run0.deny_env, current, &remove) < 0)
        return PAM_BUF_ERR;

    return change_environment(pamh, remove, none);
}

int confine_leave_mark(pam_handle_t *pamh, const char *letter)
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

int confine_store_limits(pam_handle_t *pamh, const struct config_limits *limits)
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

/* From here to confine_leave_gate() the reaper lets the sandbox be. The user manager is started by
 * a session that stands in the gate already. */
int confine_enter_gate(pam_handle_t *pamh, const struct request *request)
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

int confine_leave_gate(pam_handle_t *pamh, const struct request *request)
{
    if (request->proving || request->service != ADMISSION_RUN0)
        return PAM_SUCCESS;

    return pam_set_data(pamh, GATE_DATA, NULL, NULL);
}

int confine_require_session(pam_handle_t *pamh, const struct request *request)
{
    if (request->proving || request->service != ADMISSION_RUN0)
        return PAM_SUCCESS;

    /* The account phase has taken away what anybody else set. */
    if (pam_getenv(pamh, "XDG_SESSION_ID"))
        return PAM_SUCCESS;

    pam_syslog(pamh, LOG_ERR,
               "no session for sandbox user %s: pam_systemd registered none with logind; see "
               "journalctl -u systemd-logind.service",
               request->user_name);
    return PAM_SESSION_ERR;
}

int confine_count_session(pam_handle_t *pamh, const struct request *request, uint64_t limit)
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

int confine_set_process_limits(pam_handle_t *pamh, const struct config_limits *limits)
{
    int r = limits_set_process(limits);

    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "cannot set limits/open-files to %" PRIu64 ": %s",
                   limits->open_files, strerror(-r));
        return PAM_SESSION_ERR;
    }

    return PAM_SUCCESS;
}

int confine_enter_view(pam_handle_t *pamh, const struct request *request,
                       const struct config_sandbox *sandbox)
{
    /* What is proven is the stacks, which do not wait for proxies. */
    const bool is_proxied = sandbox->egress.proxy && !request->proving;
    _cleanup_free_ char *trusted = is_proxied ? proxied_bundle(sandbox) : NULL;
    const struct view view = {
        .uid = request->user.uid,
        .home = request->user.home,
        .read_only = sandbox->filesystem_view,
        .private_tmp = sandbox->private_tmp,
        .private_paths = sandbox->private_paths,
        .trusted = trusted,
    };
    struct view_error error;
    int r;

    if (is_proxied && !trusted)
        return PAM_BUF_ERR;

    r = view_enter(&view, &error);
    if (r < 0) {
        pam_syslog(pamh, LOG_ERR, "no session for sandbox user %s: cannot %s %s: %s%s%s",
                   request->user_name, error.action, error.path, strerror(-r),
                   error.remedy ? "; " : "", error.remedy ? error.remedy : "");
        return PAM_SESSION_ERR;
    }

    return PAM_SUCCESS;
}
