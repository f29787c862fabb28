/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the PAM stacks of what becomes another user have the module in their account phase: asked
 * as the program would, for root and by whoever is locked. */

#include <errno.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "lock/ask.h"

/* sudo asks about the caller; the others about whom to become. */
static const struct service {
    const char *name;
    bool of_caller;
} services[] = {
    { "su", false }, { "su-l", false }, { "polkit-1", false }, { "sudo", true }, { "sudo-i", true },
};

static int refuse_conversation(int n, const struct pam_message **messages,
                               struct pam_response **responses, void *userdata)
{
    (void)n;
    (void)messages;
    (void)responses;
    (void)userdata;
    return PAM_CONV_ERR;
}

static bool is_there(const char *service)
{
    static const char *const directories[] = { "/etc/pam.d", "/usr/lib/pam.d" };
    char path[64];

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", directories[i], service);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* The PAM code of the account phase. */
static int account(const struct service *service, const char *caller)
{
    static const struct pam_conv conversation = { .conv = refuse_conversation };
    pam_handle_t *pam = NULL;
    int r = pam_start(service->name, service->of_caller ? caller : "root", &conversation, &pam);

    if (r != PAM_SUCCESS)
        return r;
    r = pam_set_item(pam, PAM_RUSER, caller);
    if (r == PAM_SUCCESS)
        r = pam_acct_mgmt(pam, PAM_SILENT);
    pam_end(pam, r);
    return r;
}

int ask_stacks(const struct lock_user *user, const struct report *report)
{
    int r = 0;

    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (!is_there(services[i].name) || account(&services[i], user->names[0]) != PAM_SUCCESS)
            continue;
        report_message(report,
                       "PAM: service %s lets \"%s\" become root; /etc/pam.d/%s has to include "
                       "common-account, and pam-auth-update --package puts the module in there",
                       services[i].name, user->names[0], services[i].name);
        r = -EPERM;
    }
    return r;
}
