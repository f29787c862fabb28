/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

int request_refuse_caller(pam_handle_t *pamh, const char *service)
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
