/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_ext.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/policy.h"
#include "pam_sandbox/request.h"

void request_done(struct request *request)
{
    admission_user_done(&request->user);
}

/* Who is on the asking side, among those in a file as admission_find_user() takes it: 1 and *ret,
 * 0, or a negative errno after a message. */
static int find_caller(pam_handle_t *pamh, const char *file, struct admission_user *ret)
{
    const void *ruser = NULL;
    int r = pam_get_item(pamh, PAM_RUSER, &ruser) == PAM_SUCCESS ? 0 : -EINVAL;

    if (r == 0 && getuid() != 0)
        r = admission_find_user(file, NULL, getuid(), ret);
    if (r == 0 && ruser)
        r = admission_find_user(file, ruser, 0, ret);
    if (r < 0)
        pam_syslog(pamh, LOG_ERR, "cannot read %s: %s", file, strerror(-r));
    return r;
}

static int refuse_sandbox(pam_handle_t *pamh, const char *service)
{
    _cleanup_(admission_user_done) struct admission_user caller = { 0 };
    int r = find_caller(pamh, NSS_PASSWD_FILE, &caller);

    if (r <= 0)
        return r < 0 ? PAM_SYSTEM_ERR : PAM_SUCCESS;
    pam_syslog(pamh, LOG_NOTICE, "sandbox user %s may not use the service %s", caller.name,
               service);
    return PAM_PERM_DENIED;
}

static int refuse_locked(pam_handle_t *pamh, const struct request *request)
{
    _cleanup_(admission_user_done) struct admission_user caller = { 0 }, user = { 0 };
    int r = find_caller(pamh, LOCK_USER_FILE, &caller);

    if (r <= 0)
        return r < 0 ? PAM_SYSTEM_ERR : PAM_SUCCESS;
    r = admission_find_user(LOCK_USER_FILE, request->user_name, 0, &user);
    if (r < 0)
        return PAM_SYSTEM_ERR;
    /* To itself it may show who it is. */
    if (r > 0 && !admission_is_of_caller(request->service_name))
        return PAM_SUCCESS;
    pam_syslog(pamh, LOG_NOTICE,
               "user %s is locked (host.lock-user) and may not use the service %s", caller.name,
               request->service_name);
    return PAM_PERM_DENIED;
}

int request_refuse_caller(pam_handle_t *pamh, const struct request *request)
{
    int r = refuse_sandbox(pamh, request->service_name);

    return r == PAM_SUCCESS ? refuse_locked(pamh, request) : r;
}

int request_from_handle(pam_handle_t *pamh, struct request *request)
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

int request_refuse_service(pam_handle_t *pamh, const struct request *request)
{
    pam_syslog(pamh, LOG_NOTICE,
               "sandbox user %s may not enter through the service %s; run0 --user=%s is the way in",
               request->user_name, request->service_name, request->user_name);
    return PAM_PERM_DENIED;
}
