/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lock/account.h"

#include <limits.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <unistd.h>

bool account_has_service(const char *service)
{
    static const char *const directories[] = { "/etc/pam.d", "/usr/lib/pam.d" };
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", directories[i], service);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static int refuse_conversation(int n, const struct pam_message **messages,
                               struct pam_response **responses, void *userdata)
{
    (void)n;
    (void)messages;
    (void)responses;
    (void)userdata;
    return PAM_CONV_ERR;
}

int account_ask(const char *service, const char *user, const char *caller)
{
    static const struct pam_conv conversation = { .conv = refuse_conversation };
    pam_handle_t *pam = NULL;
    int r = pam_start(service, user, &conversation, &pam);

    if (r != PAM_SUCCESS)
        return r;
    if (caller)
        r = pam_set_item(pam, PAM_RUSER, caller);
    if (r == PAM_SUCCESS)
        r = pam_acct_mgmt(pam, PAM_SILENT);
    pam_end(pam, r);
    return r;
}
