/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/ask.h"
#include "lock/lock.h"

/* All of them, so that one run names everything that is to be put right. */
int lock_prove(const struct config *config, lock_report_t callback, void *userdata)
{
    static int (*const ask[])(const struct lock_user *user, const struct report *report) = {
        ask_sudo,
        ask_polkit,
        ask_stacks,
        ask_core,
    };
    /* The last one is about deny-reads alone, which the kernel policy keeps. */
    const bool asks_core = config->host.kernel_policy && config->host.deny_reads;
    const size_t n = sizeof ask / sizeof *ask - (asks_core ? 0 : 1);
    const struct report report = { .callback = callback, .userdata = userdata };
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    int first = 0, r = lock_user_in_force(&user);

    if (r < 0)
        report_errno(&report, r, "cannot read " LOCK_USER_FILE);
    if (r <= 0)
        return r;
    for (size_t i = 0; i < n; i++) {
        r = ask[i](&user, &report);
        if (first == 0)
            first = r;
    }
    return first;
}
