/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* polkit's rules are programs, of which the first that answers decides: whether ours is the first
 * can only be seen by asking for every action that the host has. */

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/ask.h"
#include "lock/process.h"

#define POLKIT "org.freedesktop.PolicyKit1"
#define AUTHORITY "/org/freedesktop/PolicyKit1/Authority", POLKIT ".Authority"

/* A process of the user's that polkit can be asked about; it never runs anything. The user may see
 * it and end it, and not trace it: it was root's until it changed its ids, and stays undumpable. */
static pid_t make_subject(const struct lock_user *user)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(0, ~0U, 0);
    if (setgroups(0, NULL) == 0 && setresgid(user->gid, user->gid, user->gid) == 0 &&
        setresuid(user->uid, user->uid, user->uid) == 0 &&
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0)
        for (;;)
            pause();
    _exit(1);
}

static void end_subject(const pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
}

struct question {
    sd_bus *bus;
    const struct lock_user *user;
    pid_t pid;
    uint64_t started;
};

/* 1: granted, or would be after a password; 0: refused. */
static int ask_action(const struct question *question, const char *action, sd_bus_error *error)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
    int authorized, challenge, r;

    r = sd_bus_call_method(question->bus, POLKIT, AUTHORITY, "CheckAuthorization", error, &reply,
                           "(sa{sv})sa{ss}us", "unix-process", 3, "pid", "u",
                           (uint32_t)question->pid, "start-time", "t", question->started, "uid",
                           "i", (int32_t)question->user->uid, action, 0, 0, "");
    if (r >= 0)
        r = sd_bus_message_enter_container(reply, 'r', "bba{ss}");
    if (r >= 0)
        r = sd_bus_message_read(reply, "bb", &authorized, &challenge);
    return r < 0 ? r : authorized || challenge;
}

/* An action is (ssssssuuua{ss}), the first its name. Returns how many are granted; the name of the
 * first of these in ret, to be freed. */
static int ask_all(const struct question *question, sd_bus_message *actions, char **ret,
                   sd_bus_error *error)
{
    int r, granted = 0;

    r = sd_bus_message_enter_container(actions, 'a', "(ssssssuuua{ss})");
    while (r >= 0 && (r = sd_bus_message_enter_container(actions, 'r', "ssssssuuua{ss}")) > 0) {
        const char *action;

        r = sd_bus_message_read(actions, "s", &action);
        if (r >= 0)
            r = ask_action(question, action, error);
        if (r > 0 && granted++ == 0 && !(*ret = strdup(action)))
            r = -ENOMEM;
        if (r >= 0)
            r = sd_bus_message_skip(actions, "sssssuuua{ss}");
        if (r >= 0)
            r = sd_bus_message_exit_container(actions);
    }
    return r < 0 ? r : granted;
}

static bool is_absent(const sd_bus_error *error)
{
    return sd_bus_error_has_names(
        error, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
        "org.freedesktop.systemd1.UnitMasked", "org.freedesktop.systemd1.NoSuchUnit");
}

int ask_polkit(const struct lock_user *user, const struct report *report)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *actions = NULL;
    _cleanup_(end_subject) pid_t pid = -1;
    _cleanup_free_ char *granted = NULL;
    int r = sd_bus_open_system(&bus);

    if (r < 0) {
        report_errno(report, r, "cannot ask polkit on the system bus");
        return r;
    }
    r = sd_bus_call_method(bus, POLKIT, AUTHORITY, "EnumerateActions", &error, &actions, "s", "");
    if (r < 0 && is_absent(&error))
        return 0;

    struct question question = { .bus = bus, .user = user };
    if (r >= 0)
        question.pid = pid = make_subject(user);
    if (r >= 0)
        r = pid < 0 ? -errno : process_started(pid, &question.started);
    if (r >= 0)
        r = ask_all(&question, actions, &granted, &error);
    if (r < 0) {
        report_message(report, "polkit does not say what it grants to \"%s\": %s", user->names[0],
                       error.message ?: strerror(-r));
        return r;
    }
    if (r == 0)
        return 0;
    report_message(report,
                   "polkit: grants \"%s\" %s%s, by a rule that comes before " LOCK_POLKIT_NAME
                   "; take it away, or give its file a name that sorts later, in /etc/polkit-1/"
                   "rules.d, /usr/local/share/polkit-1/rules.d or /usr/share/polkit-1/rules.d",
                   user->names[0], granted, r > 1 ? " and more" : "");
    return -EPERM;
}
