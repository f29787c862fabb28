/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one process of the locked user's that may read others: whether apply finds it. */

#include <errno.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/lock.h"
#include "lock/process.h"
#include "lock/user.h"
#include "nss/users-report.h"

static bool is_wanted(const struct config *config)
{
    const struct config_host *host = &config->host;

    return host->lock_user && host->reads_exempt && host->kernel_policy && host->deny_reads;
}

/* It has begun and ended since, perhaps: who was not there then has no privilege now. */
static bool was_in_force(const struct config *old, const struct config *new)
{
    return old && is_wanted(old) && strcmp(old->host.lock_user, new->host.lock_user) == 0 &&
           strcmp(old->host.reads_exempt, new->host.reads_exempt) == 0;
}

static int find_uid(const char *name, uid_t *ret)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    _cleanup_fclose_ FILE *passwd = fopen("/etc/passwd", "re");
    int r = passwd ? lock_user_read(passwd, name, &user) : -errno;

    *ret = user.uid;
    return r == 0 ? -ENOENT : r;
}

int lock_check_exempt(const struct config *old, const struct config *new, lock_report_t callback,
                      void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    const char *program = new->host.reads_exempt, *name = new->host.lock_user;
    uint64_t started;
    uid_t uid;
    pid_t pid;
    int r;

    if (!is_wanted(new))
        return 0;
    r = find_uid(name, &uid);
    if (r >= 0)
        r = process_find(program, uid, &pid, &started);
    if (r < 0) {
        report_errno(&report, r, "cannot look for a process of \"%s\"", name);
        return r;
    }
    if (r == 1 || (r == 0 && was_in_force(old, new)))
        return 0;
    if (r == 0)
        report_message(&report,
                       "reads-exempt: no process of \"%s\" runs %s; start it first, name another "
                       "program, or write reads-exempt = \"\" for none",
                       name, program);
    else
        report_message(
            &report,
            "reads-exempt: %d processes of \"%s\" run %s, and one alone may read the "
            "others; end those that are not meant, or write reads-exempt = \"\" for none",
            r, name, program);
    return -EPERM;
}

int lock_unlink_diagnostics(const struct config *config)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    uint64_t started;
    pid_t pid;
    int r;

    if (!config->host.lock_user || !config->host.reads_exempt ||
        !config->host.unlink_worker_diagnostics)
        return 0;
    r = lock_user_in_force(&user);
    if (r > 0)
        r = process_find(config->host.reads_exempt, user.uid, &pid, &started);
    return r == 1 ? process_unlink_diagnostics(pid, user.uid) : r < 0 ? r : 0;
}
