/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user of host { lock-user } becoming root. A rule may want a password, which an attempt does
 * not know and the user may: who decides is asked as well. */
#include "sandboxctl/probes/lock.h"

#include "conf/cleanup.h"
#include "lock/account.h"
#include "lock/ask.h"

#include <errno.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <string.h>

#define POLKITD "/usr/lib/polkit-1/polkitd"

bool lock_is_off(struct probe_run *run)
{
    if (run->config->host.lock_user)
        return false;
    probe_skip(run, "lock-user names nobody: each user has the ways to root that the host gives");
    return true;
}

static void remember(const char *message, void *userdata)
{
    struct call *call = userdata;

    snprintf(call->text, sizeof call->text, "%s", message);
}

/* One more attempt, which is that somebody grants it. */
static void ask(int (*who)(const struct lock_user *user, const struct report *report),
                struct call *call)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    const struct report report = { .callback = remember, .userdata = call };
    int r = lock_user_in_force(&user);

    if (r > 0)
        r = who(&user, &report);
    else {
        snprintf(call->text, sizeof call->text, "who is locked is not known: %s", strerror(-r));
        r = -ENOENT;
    }
    call->result = r == 0 ? ATTEMPT_REFUSED : r == -EPERM ? ATTEMPT_THROUGH : ATTEMPT_UNTRIED;
}

/* What the attempt in a session says, unless it was refused and who decides would not. */
static void judge_both(struct probe_run *run, const struct call *tried, const struct call *asked)
{
    place_judge(run, tried->result == ATTEMPT_REFUSED && asked->result != ATTEMPT_REFUSED ? asked
                                                                                          : tried);
}

void probe_lock_sudo(struct probe_run *run)
{
    const struct place root = PLACE_ROOT;
    struct call tried[] = { CALL("sudo") }, control[] = { CALL("sudo") }, asked = {};

    if (lock_is_off(run))
        return;
    if (access("/usr/bin/sudo", X_OK) < 0) {
        probe_skip(run, "this host has no /usr/bin/sudo");
        return;
    }
    const struct place locked = PLACE_LOCKED(run);
    place_run(run, &locked, tried, 1);
    place_run(run, &root, control, 1);
    ask(ask_sudo, &asked);
    judge_both(run, tried, &asked);
    place_judge_control(run, control);
}

void probe_lock_polkit(struct probe_run *run)
{
    const struct place nobody = PLACE_NOBODY;
    /* systemd gives the first two to everybody, so that a refusal is ours. */
    struct call tried[] = { CALL("polkit", "org.freedesktop.login1.set-self-linger",
                                 "org.freedesktop.login1.inhibit-delay-shutdown",
                                 "org.freedesktop.systemd1.manage-units") };
    struct call control[] = { CALL("polkit", "org.freedesktop.login1.inhibit-delay-shutdown") };
    struct call asked = {};

    if (lock_is_off(run))
        return;
    if (access(POLKITD, X_OK) < 0) {
        probe_skip(run, "this host has no polkit: what would ask it is root's alone");
        return;
    }
    const struct place locked = PLACE_LOCKED(run);
    place_run(run, &locked, tried, 1);
    place_run(run, &nobody, control, 1);
    ask(ask_polkit, &asked);
    judge_both(run, tried, &asked);
    place_judge_control(run, control);
}

void probe_lock_su(struct probe_run *run)
{
    struct call tried[] = { CALL("su") }, asked = {};
    int r;

    if (lock_is_off(run))
        return;
    if (access("/usr/bin/su", X_OK) < 0) {
        probe_skip(run, "this host has no /usr/bin/su");
        return;
    }
    const struct place locked = PLACE_LOCKED(run);
    place_run(run, &locked, tried, 1);
    ask(ask_stacks, &asked);
    judge_both(run, tried, &asked);

    r = account_ask("su", "root", NULL);
    if (r == PAM_SUCCESS)
        probe_found_control(run, VERDICT_OK,
                            "PAM service su admits root, asked by nobody who is "
                            "locked");
    else
        probe_found_control(run, VERDICT_FAIL, "PAM service su refuses everybody: %s",
                            pam_strerror(NULL, r));
}
