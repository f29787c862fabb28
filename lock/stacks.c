/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the PAM stacks of what becomes another user have the module in their account phase: asked
 * as the program would, for root and by whoever is locked. */

#include <errno.h>
#include <security/pam_appl.h>

#include "lock/account.h"
#include "lock/ask.h"

/* sudo asks about the caller; the others about whom to become. */
static const struct service {
    const char *name;
    bool of_caller;
} services[] = {
    { "su", false }, { "su-l", false }, { "polkit-1", false }, { "sudo", true }, { "sudo-i", true },
};

int ask_stacks(const struct lock_user *user, const struct report *report)
{
    int r = 0;

    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const char *name = services[i].name;

        if (!account_has_service(name) ||
            account_ask(name, services[i].of_caller ? user->names[0] : "root", user->names[0]) !=
                PAM_SUCCESS)
            continue;
        report_message(report,
                       "PAM: service %s lets \"%s\" become root; /etc/pam.d/%s has to include "
                       "common-account, and pam-auth-update --package puts the module in there",
                       name, user->names[0], name);
        r = -EPERM;
    }
    return r;
}
