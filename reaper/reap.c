/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reaper/reap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-login.h>
#include <time.h>

#include "conf/cleanup.h"
#include "reaper/cgroup.h"
#include "reaper/gate.h"

#define BUS_TIMEOUT_USEC 2000000
#define STEP_MSEC 10
#define ASK_MSEC 1000

static inline void bus_closep(sd_bus **bus)
{
    sd_bus_flush_close_unref(*bus);
}

/* The user manager has a session of its own, of class "manager" or "manager-early", that lasts as
 * long as it does: it keeps nobody here. */
static bool is_manager(const char *session)
{
    _cleanup_free_ char *class = NULL;

    /* Not written yet: a session that is being opened. */
    if (sd_session_get_class(session, &class) < 0)
        return false;
    return strncmp(class, "manager", strlen("manager")) == 0;
}

int reap_has_session(uid_t uid)
{
    _cleanup_strv_ char **sessions = NULL;

    /* With 0 those that logind is not closing, which it does from the moment in which the session's
     * leader has ended, whatever else still runs in it (ONLINE_SESSIONS in user_save_internal() of
     * systemd's src/login/logind-user.c). */
    int r = sd_uid_get_sessions(uid, 0, &sessions);
    if (r == -ENXIO || r == -ENODATA)
        return 0;
    if (r < 0)
        return r;
    for (char **session = sessions; session && *session; session++)
        if (!is_manager(*session))
            return 1;
    return 0;
}

int reap_kill(uid_t uid)
{
    _cleanup_close_ int users = cgroup_open_users();
    if (users == -ENOENT)
        return 0;
    if (users < 0)
        return users;
    return cgroup_visit_slice(users, uid, true);
}

int reap_is_gone(uid_t uid)
{
    _cleanup_close_ int users = cgroup_open_users();
    if (users == -ENOENT)
        return 1;
    if (users < 0)
        return users;
    int r = cgroup_has_slice(users, uid);
    return r < 0 ? r : !r;
}

/* Waits for the answer, as a caller that is gone is refused. With many sessions it comes late,
 * while the work goes on: what counts is whether the user is gone in the end. */
static int call(sd_bus *bus, sd_bus_message *message, const char *harmless)
{
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;

    int r = sd_bus_call(bus, message, BUS_TIMEOUT_USEC, &error, NULL);
    if (r == -ETIMEDOUT || (r < 0 && sd_bus_error_has_name(&error, harmless)))
        return 0;
    return r < 0 ? r : 0;
}

static int terminate_user(sd_bus *bus, uid_t uid)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;

    int r = sd_bus_message_new_method_call(bus, &message, "org.freedesktop.login1",
                                           "/org/freedesktop/login1",
                                           "org.freedesktop.login1.Manager", "TerminateUser");
    if (r < 0)
        return r;
    r = sd_bus_message_append(message, "u", (uint32_t)uid);
    if (r < 0)
        return r;
    return call(bus, message, "org.freedesktop.login1.NoSuchUser");
}

static int stop_runtime_dir(sd_bus *bus, uid_t uid)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
    char unit[64];

    snprintf(unit, sizeof(unit), "user-runtime-dir@%u.service", (unsigned)uid);
    int r = sd_bus_message_new_method_call(bus, &message, "org.freedesktop.systemd1",
                                           "/org/freedesktop/systemd1",
                                           "org.freedesktop.systemd1.Manager", "StopUnit");
    if (r < 0)
        return r;
    r = sd_bus_message_append(message, "ss", unit, "replace");
    if (r < 0)
        return r;
    return call(bus, message, "org.freedesktop.systemd1.NoSuchUnit");
}

/* logind does both for a user that it keeps. One that it does not know, or regards as stopped
 * within UserStopDelaySec=, can still have a user manager, started by hand; that is bound to the
 * runtime directory and goes with it. Stopping a unit twice is stopping it once. */
int reap_forget(sd_bus *bus, uid_t uid)
{
    int r = terminate_user(bus, uid);
    if (r < 0)
        return r;
    return stop_runtime_dir(bus, uid);
}

static uint64_t now_msec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int reap_user(uid_t uid, bool force, unsigned timeout_msec)
{
    const struct timespec step = { .tv_nsec = STEP_MSEC * 1000000L };

    _cleanup_close_ int gate = gate_shut(uid, timeout_msec);
    if (gate < 0)
        return gate;

    int in_use = force ? 0 : reap_has_session(uid);
    if (in_use != 0)
        return in_use < 0 ? in_use : -EBUSY;

    int killed = reap_kill(uid);
    int gone = reap_is_gone(uid);
    if (gone > 0)
        return killed < 0 ? killed : 0;

    _cleanup_(bus_closep) sd_bus *bus = NULL;
    int r = sd_bus_open_system(&bus);
    if (r < 0)
        return r;

    const uint64_t deadline = now_msec() + timeout_msec;
    for (uint64_t ask = 0;;) {
        uint64_t now = now_msec();

        if (now >= ask) {
            r = reap_forget(bus, uid);
            if (r < 0)
                return r;
            ask = now_msec() + ASK_MSEC;
        }
        killed = reap_kill(uid);
        gone = reap_is_gone(uid);
        if (gone > 0)
            return 0;
        if (now >= deadline)
            return killed < 0 ? killed : gone < 0 ? gone : -ETIMEDOUT;
        nanosleep(&step, NULL);
    }
}
