/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entering. These probes come from outside a session by their nature: root asks PAM, as the service
 * would, whether the sandbox user may come in. Nothing is opened that is not closed at once, and
 * logind never hears of it. */
#include "sandboxctl/probes/hide.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/account.h"

#include <pwd.h>
#include <security/pam_appl.h>
#include <string.h>
#include <sys/wait.h>

/* A user who is neither root, whom some modules let pass, nor a person. */
static const char *other_user(void)
{
    const struct passwd *nobody = getpwuid(NOBODY_ID);

    return nobody ? "nobody" : "root";
}

static void probe_service(struct probe_run *run, const char *service)
{
    const char *user = run->sandbox->name, *other = other_user();
    int r;

    if (!account_has_service(service)) {
        probe_skip(run, "this host has no PAM service %s", service);
        return;
    }

    r = account_ask(service, user, NULL);
    if (r == PAM_PERM_DENIED)
        probe_found(run, VERDICT_OK, "PAM service %s: %s", service, pam_strerror(NULL, r));
    else if (r == PAM_SUCCESS)
        probe_found(run, VERDICT_FAIL, "PAM service %s admits %s", service, user);
    else
        /* Something else stopped it first, so nothing is known about the module. */
        probe_found(run, VERDICT_FAIL, "could not be tried: PAM service %s: %s", service,
                    pam_strerror(NULL, r));

    r = account_ask(service, other, NULL);
    if (r == PAM_SUCCESS)
        probe_found_control(run, VERDICT_OK, "PAM service %s admits %s", service, other);
    else
        probe_found_control(run, VERDICT_FAIL, "PAM service %s refuses %s too: %s", service, other,
                            pam_strerror(NULL, r));
}

void probe_entry_su(struct probe_run *run)
{
    probe_service(run, "su");
}

void probe_entry_login(struct probe_run *run)
{
    probe_service(run, "login");
}

void probe_entry_ssh(struct probe_run *run)
{
    probe_service(run, "sshd");
}

void probe_entry_cron(struct probe_run *run)
{
    probe_service(run, "cron");
}

/* The exit status of a transaction that could not take place; PAM codes are below 32. */
#define EXIT_UNPREPARED 100

/* The account phase, as systemd asks it before it opens a session. Does not return. */
__attribute__((noreturn)) static void ask_account(const struct probe_run *run, bool hide)
{
    if (hide && (hide_enter() < 0 || hide_file(READY_FILE, run->canary_run) < 0))
        _exit(EXIT_UNPREPARED);
    _exit(account_ask("systemd-run0", run->sandbox->name, NULL));
}

/* Returns the PAM code, or a negative errno when the account phase was not asked. */
static int try_account(const struct probe_run *run, bool hide)
{
    int status;
    pid_t pid;

    pid = fork();
    if (pid == 0)
        ask_account(run, hide);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return -errno;
    if (!WIFEXITED(status))
        return -EPROTO;
    return WEXITSTATUS(status) == EXIT_UNPREPARED ? -ECANCELED : WEXITSTATUS(status);
}

void probe_entry_not_ready(struct probe_run *run)
{
    int r;

    r = try_account(run, true);
    if (r < 0)
        probe_found(run, VERDICT_FAIL, "could not be tried: %s could not be hidden: %s", READY_FILE,
                    strerror(-r));
    else if (r == PAM_SUCCESS)
        probe_found(run, VERDICT_FAIL, "PAM service systemd-run0 admits a session without %s",
                    READY_FILE);
    else
        probe_found(run, VERDICT_OK, "a session without %s: %s", READY_FILE, pam_strerror(NULL, r));

    r = try_account(run, false);
    if (r < 0)
        probe_found_control(run, VERDICT_FAIL, "could not be tried: %s", strerror(-r));
    else if (r == PAM_SUCCESS)
        probe_found_control(run, VERDICT_OK, "a session with %s: admitted", READY_FILE);
    else
        probe_found_control(run, VERDICT_FAIL, "a session with %s: %s", READY_FILE,
                            pam_strerror(NULL, r));
}
