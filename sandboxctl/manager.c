/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/manager.h"

#include "sandboxctl/say.h"

#include <string.h>
#include <systemd/sd-event.h>
#include <time.h>

#define SERVICE "org.freedesktop.systemd1"
#define OBJECT "/org/freedesktop/systemd1"
#define MANAGER_INTERFACE SERVICE ".Manager"

/* Running every generator may take long on a slow host; systemctl waits without end. */
#define RELOAD_TIMEOUT_USEC (300 * UINT64_C(1000000))

void manager_unit_done(struct manager_unit *unit)
{
    free(unit->load);
    free(unit->active);
    free(unit->sub);
    free(unit->result);
}

/* systemd listens there for root alone, and answers before and without any message bus. */
static int open_private(sd_bus **ret)
{
    _cleanup_bus_ sd_bus *bus = NULL;

    int r = sd_bus_new(&bus);
    if (r < 0)
        return r;
    r = sd_bus_set_address(bus, "unix:path=/run/systemd/private");
    if (r < 0)
        return r;
    r = sd_bus_start(bus);
    if (r < 0)
        return r;
    *ret = steal_ptr(bus);
    return 0;
}

int manager_open(sd_bus **ret)
{
    if (geteuid() == 0 && open_private(ret) == 0)
        return 0;
    int r = sd_bus_open_system(ret);
    return r < 0 ? r : 0;
}

static int get_string(sd_bus *bus, const char *path, const char *interface, const char *property,
                      char **ret)
{
    return sd_bus_get_property_string(bus, SERVICE, path, interface, property, NULL, ret);
}

int manager_get_unit(sd_bus *bus, const char *name, struct manager_unit *ret)
{
    _cleanup_unit_ struct manager_unit unit = {};
    _cleanup_free_ char *path = NULL;

    int r = sd_bus_path_encode(OBJECT "/unit", name, &path);
    if (r < 0)
        return r;
    r = get_string(bus, path, SERVICE ".Unit", "LoadState", &unit.load);
    if (r >= 0)
        r = get_string(bus, path, SERVICE ".Unit", "ActiveState", &unit.active);
    if (r >= 0)
        r = get_string(bus, path, SERVICE ".Unit", "SubState", &unit.sub);
    if (r < 0)
        return r;
    r = sd_bus_get_property_trivial(bus, SERVICE, path, SERVICE ".Unit", "InactiveExitTimestamp",
                                    NULL, 't', &unit.started_usec);
    if (r < 0)
        return r;
    if (get_string(bus, path, SERVICE ".Service", "Result", &unit.result) < 0 &&
        get_string(bus, path, SERVICE ".Socket", "Result", &unit.result) < 0)
        unit.result = strdup("");
    if (!unit.result)
        return -ENOMEM;

    *ret = unit;
    unit = (struct manager_unit){};
    return 0;
}

bool manager_unit_is_active(sd_bus *bus, const char *name)
{
    _cleanup_unit_ struct manager_unit unit = {};

    return manager_get_unit(bus, name, &unit) == 0 && strcmp(unit.active, "active") == 0;
}

int manager_list_active(sd_bus *bus, char *const *names, char ***ret)
{
    _cleanup_strv_ char **active = NULL;
    size_t n = 0;

    for (; names && *names; names++) {
        if (!manager_unit_is_active(bus, *names))
            continue;
        char **more = reallocarray(active, n + 2, sizeof(*more));
        if (!more)
            return -ENOMEM;
        active = more;
        active[n] = strdup(*names);
        if (!active[n])
            return -ENOMEM;
        active[++n] = NULL;
    }
    *ret = steal_ptr(active);
    return 0;
}

static int read_names(sd_bus_message *reply, char ***ret)
{
    _cleanup_strv_ char **names = calloc(1, sizeof(*names));
    const char *name;
    size_t n = 0;
    int r;

    if (!names)
        return -ENOMEM;
    r = sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
    while (r >= 0 && (r = sd_bus_message_read(reply, "(ssssssouso)", &name, NULL, NULL, NULL, NULL,
                                              NULL, NULL, NULL, NULL, NULL)) > 0) {
        char **more = reallocarray(names, n + 2, sizeof(*more));

        if (!more)
            return -ENOMEM;
        names = more;
        names[n + 1] = NULL;
        names[n] = strdup(name);
        if (!names[n++])
            return -ENOMEM;
    }
    if (r < 0)
        return r;
    *ret = steal_ptr(names);
    return 0;
}

int manager_list_units(sd_bus *bus, const char *pattern, char ***ret)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;

    int r = sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER_INTERFACE, "ListUnitsByPatterns", NULL,
                               &reply, "asas", 0, 1, pattern);
    return r < 0 ? r : read_names(reply, ret);
}

int manager_reload(sd_bus *bus, sd_bus_error *error)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;

    int r =
        sd_bus_message_new_method_call(bus, &call, SERVICE, OBJECT, MANAGER_INTERFACE, "Reload");
    if (r < 0)
        return r;
    r = sd_bus_call(bus, call, RELOAD_TIMEOUT_USEC, error, NULL);
    return r < 0 ? r : 0;
}

int manager_start_unit(sd_bus *bus, const char *name)
{
    int r = sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER_INTERFACE, "StartUnit", NULL, NULL,
                               "ss", name, "replace");
    return r < 0 ? r : 0;
}

/* sd_event_exit() would close the bus with the loop, so what ends the wait is said here. */
struct job {
    const char *path;
    const char *what;
    unsigned seconds;
    char *result;
    int error;
};

static int on_job_removed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct job *job = userdata;
    const char *path, *result;

    (void)error;
    if (sd_bus_message_read(message, "uoss", NULL, &path, NULL, &result) < 0)
        return 0;
    if (!job->path || strcmp(path, job->path) != 0)
        return 0;
    free(job->result);
    job->result = strdup(result);
    if (!job->result)
        job->error = -ENOMEM;
    return 0;
}

static int on_disconnected(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct job *job = userdata;

    (void)message;
    (void)error;
    job->error = -ENOTCONN;
    return 0;
}

static int on_second(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct job *job = userdata;

    (void)usec;
    say_progress("%s… %u s", job->what, ++job->seconds);
    return sd_event_source_set_time_relative(source, 1000000);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
    struct job *job = userdata;

    (void)source;
    (void)si;
    job->error = -EINTR;
    return 0;
}

static int watch_signals(sd_event *event, const sigset_t *signals, struct job *job)
{
    for (int s = 1; signals && s < SIGRTMIN; s++) {
        if (sigismember(signals, s) != 1)
            continue;
        int r = sd_event_add_signal(event, NULL, s, on_signal, job);
        if (r < 0)
            return r;
    }
    return 0;
}

static int watch_bus(sd_bus *bus, struct job *job, sd_bus_slot **removed, sd_bus_slot **gone)
{
    /* Without a message bus between, messages carry no sender that could be matched. */
    const char *sender = sd_bus_is_bus_client(bus) > 0 ? SERVICE : NULL;

    int r = sd_bus_match_signal(bus, removed, sender, OBJECT, MANAGER_INTERFACE, "JobRemoved",
                                on_job_removed, job);
    if (r < 0)
        return r;
    return sd_bus_match_signal(bus, gone, NULL, "/org/freedesktop/DBus/Local",
                               "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, job);
}

int manager_run_unit(sd_bus *bus, const char *method, const char *name, const char *what,
                     const sigset_t *signals, sd_bus_error *error, char **result)
{
    _cleanup_(sd_event_unrefp) sd_event *event = NULL;
    _cleanup_(sd_event_source_unrefp) sd_event_source *timer = NULL;
    _cleanup_(sd_bus_slot_unrefp) sd_bus_slot *removed = NULL, *gone = NULL;
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
    struct job job = { .what = what };

    int r = sd_event_new(&event);
    if (r < 0)
        return r;
    r = watch_signals(event, signals, &job);
    if (r < 0)
        return r;
    r = sd_event_add_time_relative(event, &timer, CLOCK_MONOTONIC, 1000000, 0, on_second, &job);
    if (r < 0)
        return r;
    r = sd_event_source_set_enabled(timer, SD_EVENT_ON);
    if (r < 0)
        return r;
    /* Watch first: the job may have ended before the call that makes it returns. */
    r = watch_bus(bus, &job, &removed, &gone);
    if (r < 0)
        return r;

    /* This also forgets how often the unit was started lately. It fails when there was nothing to
     * reset, and what is really wrong with the unit shows below. */
    (void)sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER_INTERFACE, "ResetFailedUnit", NULL, NULL,
                             "s", name);
    r = sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER_INTERFACE, method, error, &reply, "ss",
                           name, "replace");
    if (r < 0)
        return r;
    r = sd_bus_message_read(reply, "o", &job.path);
    if (r < 0)
        return r;

    r = sd_bus_attach_event(bus, event, SD_EVENT_PRIORITY_NORMAL);
    if (r < 0)
        return r;
    while (r >= 0 && !job.result && job.error == 0)
        r = sd_event_run(event, UINT64_MAX);
    sd_bus_detach_event(bus);
    say_progress_end();
    if (!job.result)
        return r < 0 ? r : job.error;

    *result = job.result;
    return strcmp(job.result, "done") == 0 ? 0 : -EIO;
}
