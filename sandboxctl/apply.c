/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl apply: what /etc says comes into force, or everything stays as it is. */
#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "lock/lock.h"
#include "nss/users.h"
#include "sandboxctl/diff.h"
#include "sandboxctl/exchange.h"
#include "sandboxctl/layers.h"
#include "sandboxctl/manager.h"
#include "sandboxctl/open.h"
#include "sandboxctl/orphans.h"
#include "sandboxctl/proxies.h"
#include "sandboxctl/say.h"
#include "sandboxctl/timing.h"
#include "sandboxctl/verbs.h"

#include <string.h>
#include <systemd/sd-daemon.h>

/* Another apply may be proving; sandbox-users at boot is done much sooner. */
#define LOCK_SECONDS 120

/* Every reason there is not to take it, before anything is touched. Who cannot look into the homes
 * is told that this is left out. */
static int load_etc(const char *root, struct config **ret)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const struct config_source source = { .root = root, .check_host = geteuid() == 0 };

    int r = config_load_etc(&source, say_problem, NULL, &config);
    if (r == 0 && source.check_host)
        r = users_check(root, config, say_message, NULL);
    if (r == 0 && source.check_host &&
        lock_check_administrator(root, config, say_message, NULL) < 0)
        r = -EINVAL;
    if (r == 0 && !source.check_host)
        fputs("Note: whether it fits this host's users, groups and homes is checked for root "
              "alone.\n",
              stderr);
    if (r == 0)
        *ret = steal_ptr(config);
    else if (r == -EINVAL)
        say_error(0, "the configuration has errors; nothing was changed");
    else
        say_error(r, "cannot check the configuration; nothing was changed");
    return r;
}

/* What is in force; NULL when nothing is, and when it cannot be read. */
static int load_in_force(const char *root, struct config **ret)
{
    int r = config_load_snapshot(root, say_problem, NULL, ret);
    if (r == -EINVAL)
        say_error(0, "what is in force cannot be read, so it is taken for nothing");
    return r == -ENOENT || r == -EINVAL ? 0 : r;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "es";
}

/* Prints what would change. */
static int dry_run(const char *root)
{
    _cleanup_(config_freep) struct config *old = NULL, *new = NULL;
    size_t n = 0;

    if (load_etc(root, &new) < 0)
        return EXIT_FAILURE;
    int r = load_in_force(root, &old);
    if (r == 0)
        r = diff_print(old, new, stdout, &n);
    if (r < 0)
        return say_error(r, "cannot compare with what is in force");
    if (n == 0)
        puts("Nothing would change.");
    return EXIT_SUCCESS;
}

/* An image that is being built, a chroot: what is in force there is decided when it boots. */
static int apply_offline(const char *root)
{
    _cleanup_(config_freep) struct config *config = NULL;

    if (load_etc(root, &config) < 0)
        return EXIT_FAILURE;
    printf("The configuration is right (%zu sandbox%s). systemd is not running here: it will take"
           " effect at boot.\n",
           config->n_sandboxes, plural(config->n_sandboxes));
    return EXIT_SUCCESS;
}

static bool is_interrupted(const sigset_t *signals)
{
    sigset_t pending;

    sigpending(&pending);
    for (int s = 1; s < SIGRTMIN; s++)
        if (sigismember(&pending, s) == 1 && sigismember(signals, s) == 1)
            return true;
    return false;
}

static int take_lock(const sigset_t *signals)
{
    int fd;

    timing_stage("Waiting for the policy lock");
    fd = snapshot_lock("", true, 0);

    for (unsigned s = 0; fd == -ETIMEDOUT && s < LOCK_SECONDS; s++) {
        say_progress("Waiting for whoever else changes or reads the policy… %u s", s);
        fd = is_interrupted(signals) ? -EINTR : snapshot_lock("", true, 1000);
    }
    say_progress_end();
    if (fd == -EINTR)
        say_error(0, "interrupted; nothing was changed");
    else if (fd == -ETIMEDOUT)
        say_error(0,
                  "somebody holds " POLICY_LOCK_FILE
                  " for more than %u s (fuser -v " POLICY_LOCK_FILE
                  " names it); nothing was changed",
                  LOCK_SECONDS);
    else if (fd < 0)
        say_error(fd, "cannot lock " POLICY_LOCK_FILE "; nothing was changed");
    return fd;
}

/* READY_UNIT stands on USERS_UNIT and starts it if need be. That takes the policy lock, so after a
 * boot on a broken configuration it is started here, before the lock is ours. */
static int need_users(sd_bus *bus, const sigset_t *signals)
{
    _cleanup_(config_freep) struct config *config = NULL;

    if (manager_unit_is_active(bus, USERS_UNIT))
        return 0;
    int r = load_etc("", &config);
    if (r < 0)
        return r;
    return exchange_run_unit(bus, "StartUnit", USERS_UNIT, "Starting the users", config, signals);
}

/* The new policy failed after it had been written. */
static int restore(sd_bus *bus, const struct config *old)
{
    if (old)
        say_error(0, "restoring what was in force before");
    if (exchange_policy(bus, old, NULL) < 0)
        return say_error(0, "what was in force before does not hold either: no sandbox user gets a"
                            " session until sandboxctl apply succeeds");
    return say_error(0, old ? "what was in force before is in force again"
                            : "nothing is in force, as before: no sandbox user exists");
}

static void say_still_running(sd_bus *bus, const struct config *config)
{
    _cleanup_strv_ char **active = NULL;

    if (manager_list_active(bus, config->host.stop_services, &active) < 0)
        return;
    for (char **unit = active; unit && *unit; unit++)
        fprintf(stderr, "Note: %s is masked now and still runs; systemctl stop %s ends it.\n",
                *unit, *unit);
}

static void unlink_diagnostics(const struct config *config)
{
    const int r = lock_unlink_diagnostics(config);

    if (r < 0)
        say_error(r, "cannot remove by what the process of reads-exempt shows its memory");
    else if (r > 0)
        printf("Removed %d socket%s or pipes by which %s would show its memory.\n", r,
               r == 1 ? "" : "s", config->host.reads_exempt);
}

/* What is set to false, and what that leaves open. */
static void say_open(const struct open_item *item, void *userdata)
{
    (void)userdata;
    if (!item->sandboxes)
        printf("Open: %s: %s.\n", item->option, item->what);
}

static int apply_locked(sd_bus *bus, const sigset_t *signals)
{
    _cleanup_(config_freep) struct config *old = NULL, *new = NULL;
    char digest[SNAPSHOT_DIGEST_SIZE];
    size_t n_changes = 0;

    timing_stage("Checking the configuration");
    /* Only now: what another apply has put in force meanwhile, or what was edited, counts. */
    if (load_etc("", &new) < 0)
        return EXIT_FAILURE;
    int r = load_in_force("", &old);
    if (r == 0)
        r = diff_print(old, new, stdout, &n_changes);
    if (r < 0)
        return say_error(r, "cannot compare with what is in force; nothing was changed");
    if (lock_check_exempt(old, new, say_message, NULL) < 0)
        return say_error(0, "nothing was changed");
    if (is_interrupted(signals))
        return say_error(0, "interrupted; nothing was changed");
    if (n_changes == 0 && snapshot_ready("", digest) == 0)
        puts("Nothing changed and everything is ready; proving it again.");
    fflush(stdout);

    timing_stage("Ending what is no longer configured");
    if (orphans_end(old, new) < 0)
        return say_error(0, "nothing was changed");
    r = exchange_policy(bus, new, signals);
    if (r == -EINTR)
        say_error(0, "interrupted");
    else if (r < 0 && old && n_changes == 0)
        return say_error(0, "what is in force has not changed, and cannot be proven any more: no"
                            " sandbox user gets a session until sandboxctl apply succeeds");
    if (r < 0)
        return restore(bus, old);

    if (new->host.lock_user)
        printf("Locked: user %s.\n", new->host.lock_user);
    printf(
        "In force: %zu sandbox%s. Open sessions keep the view, the limits and the environment that"
        " they began with.\n",
        new->n_sandboxes, plural(new->n_sandboxes));
    fflush(stdout);
    if (new->host.lock_user)
        (void)open_list(new, say_open, NULL);
    if (new->n_policies > 0)
        proxies_fetch(bus);
    say_still_running(bus, new);
    unlink_diagnostics(new);
    orphans_say(old, new);
    return EXIT_SUCCESS;
}

static int apply(void)
{
    _cleanup_bus_ sd_bus *bus = NULL;
    _cleanup_close_ int lock = -1;
    sigset_t signals;

    if (geteuid() != 0)
        return say_error(0, "apply needs root; --dry-run does not");

    /* From here on these are looked at where stopping leaves the old or the new in force. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    /* Nor may a reader that went away end it, or ^Z keep the lock. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTSTP, SIG_IGN);

    int r = manager_open(&bus);
    if (r < 0)
        return say_error(r, "cannot speak with systemd; nothing was changed");
    r = need_users(bus, &signals);
    if (r == -EINTR)
        say_error(0, "interrupted while the users are made");
    if (r < 0)
        return EXIT_FAILURE;
    lock = take_lock(&signals);
    if (lock < 0)
        return EXIT_FAILURE;
    return apply_locked(bus, &signals);
}

int verb_apply(int argc, char **argv)
{
    const char *root = "";
    enum timing_format timing = TIMING_OFF;
    bool dry = false;
    int c, status;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_DRY_RUN:
            dry = true;
            break;
        case OPTION_ROOT:
            root = optarg;
            break;
        case OPTION_TIMING:
            if (timing_parse(optarg, &timing) < 0)
                return EXIT_USAGE;
            break;
        default:
            return EXIT_USAGE;
        }

    if (dry)
        return dry_run(root);
    if (*root || sd_booted() <= 0)
        return apply_offline(root);
    status = apply();
    timing_print(timing, "sandboxctl apply", stderr);
    return status;
}
