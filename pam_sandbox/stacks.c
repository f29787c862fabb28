/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Follows the files that PAM stacks are made of, and the rules of sudo and polkit where a user is
 * locked, and has all of it proven again after a change. A daemon rather than a path unit:
 * systemd.path(5) does not look while the service that it starts is running, so that a second edit,
 * made during the proof of the first, would go unnoticed. */

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"

/* Linux-PAM's two directories of stacks, and that of its modules. */
static const char *const stacks_directories[] = { "/etc/pam.d", "/usr/lib/pam.d", PAM_MODULE_DIR };

/* And where somebody may grant again what host { lock-user } lost: looked at while somebody is
 * locked. A host may be without any of them. */
static const char *const lock_directories[] = {
    "/etc/sudoers.d",
    "/etc/polkit-1/rules.d",
    "/usr/local/share/polkit-1/rules.d",
    "/usr/share/polkit-1/rules.d",
};

#define STACKS_EVENTS                                                                              \
    (IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM |              \
     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

/* An editor or a package manager makes several changes at once. */
#define STACKS_SETTLE_USEC 50000

#define STACKS_LOCK_TIMEOUT_MSEC 60000

struct stacks {
    sd_event_source *settle;
};

/* systemctl ends when this unit is stopped: sd-event has SIGTERM blocked here, and a child would
 * inherit that and keep the policy lock with it. Returns 0 or an errno. */
static int spawn_restart(pid_t *ret)
{
    static char *const command[] = { (char *)"systemctl", (char *)"restart",
                                     (char *)"pam-sandbox-ready.service", NULL };
    posix_spawnattr_t attributes;
    sigset_t none;
    int r;

    sigemptyset(&none);
    r = posix_spawnattr_init(&attributes);
    if (r != 0)
        return r;
    r = posix_spawnattr_setsigmask(&attributes, &none);
    if (r == 0)
        r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (r == 0)
        r = posix_spawn(ret, "/usr/bin/systemctl", NULL, &attributes, command, environ);
    posix_spawnattr_destroy(&attributes);
    return r;
}

/* Restarts the unit that proves; its result is in the journal, where it says which file is to
 * blame. Runs under the policy lock, so that a session that begins meanwhile waits. */
static int prove_again(void)
{
    _cleanup_close_ int lock = -1;
    int r, status;
    pid_t child;

    if (access(SNAPSHOT_FILE, F_OK) < 0)
        return 0;

    lock = snapshot_lock("", true, STACKS_LOCK_TIMEOUT_MSEC);
    if (lock < 0) {
        fprintf(stderr, "Cannot take the policy lock %s: %s\n", POLICY_LOCK_FILE, strerror(-lock));
        return lock;
    }

    r = spawn_restart(&child);
    if (r != 0) {
        fprintf(stderr, "Cannot run systemctl: %s\n", strerror(r));
        return -r;
    }
    if (waitpid(child, &status, 0) < 0)
        return -errno;
    if (WIFSIGNALED(status))
        fprintf(stderr, "The proof of what was changed was interrupted\n");
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "What was changed does not hold; see "
                        "journalctl -u pam-sandbox-ready.service\n");
    return 0;
}

/* Without a lock or systemctl nothing is known of the stacks: the daemon ends, and with it what
 * depends on it. */
static int on_settled(sd_event_source *source, uint64_t usec, void *userdata)
{
    int r = prove_again();

    (void)usec;
    (void)userdata;
    return r < 0 ? sd_event_exit(sd_event_source_get_event(source), r) : 0;
}

static int on_change(sd_event_source *source, const struct inotify_event *change, void *userdata)
{
    struct stacks *stacks = userdata;
    int enabled;

    if (change->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) {
        fprintf(stderr, "A directory of PAM stacks was replaced, and is followed anew\n");
        return sd_event_exit(sd_event_source_get_event(source), -ESTALE);
    }

    if (sd_event_source_get_enabled(stacks->settle, &enabled) >= 0 && enabled != SD_EVENT_OFF)
        return 0;
    (void)sd_event_source_set_time_relative(stacks->settle, STACKS_SETTLE_USEC);
    return sd_event_source_set_enabled(stacks->settle, SD_EVENT_ONESHOT);
}

static int on_lock_change(sd_event_source *source, const struct inotify_event *change,
                          void *userdata)
{
    return access(LOCK_USER_FILE, F_OK) < 0 ? 0 : on_change(source, change, userdata);
}

static int follow_lock(sd_event *event, struct stacks *stacks)
{
    for (size_t i = 0; i < sizeof lock_directories / sizeof lock_directories[0]; i++) {
        int r = sd_event_add_inotify(event, NULL, lock_directories[i], STACKS_EVENTS,
                                     on_lock_change, stacks);

        if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -EACCES) {
            fprintf(stderr, "Cannot follow changes of %s: %s\n", lock_directories[i], strerror(-r));
            return r;
        }
    }
    return 0;
}

static int follow(sd_event *event, struct stacks *stacks)
{
    int r;

    for (size_t i = 0; i < sizeof stacks_directories / sizeof stacks_directories[0]; i++) {
        r = sd_event_add_inotify(event, NULL, stacks_directories[i], STACKS_EVENTS, on_change,
                                 stacks);
        if (r < 0) {
            fprintf(stderr, "Cannot follow changes of %s: %s\n", stacks_directories[i],
                    strerror(-r));
            return r;
        }
    }

    r = follow_lock(event, stacks);
    if (r < 0)
        return r;
    r = sd_event_add_time_relative(event, &stacks->settle, CLOCK_MONOTONIC, 0, 0, on_settled,
                                   stacks);
    if (r >= 0)
        r = sd_event_source_set_enabled(stacks->settle, SD_EVENT_OFF);
    return r;
}

int main(int argc, char *argv[])
{
    _cleanup_(sd_event_unrefp) sd_event *event = NULL;
    struct stacks stacks = { 0 };
    int r;

    (void)argv;
    if (argc > 1) {
        printf("%s\n\nStarted by pam-sandbox-stacks.service; see pam-sandbox-prove(8).\n",
               program_invocation_short_name);
        return 2;
    }

    if ((r = sd_event_default(&event)) < 0 || (r = sd_event_set_watchdog(event, true)) < 0 ||
        (r = sd_event_set_signal_exit(event, true)) < 0 || (r = follow(event, &stacks)) < 0) {
        fprintf(stderr, "Cannot start: %s\n", strerror(-r));
        return EXIT_FAILURE;
    }

    (void)sd_notify(false, "READY=1\nSTATUS=Following the PAM stacks");
    r = sd_event_loop(event);
    sd_event_source_unref(stacks.settle);
    return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
