/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <systemd/sd-login.h>
#include <time.h>

#include "conf/cleanup.h"

#define SERVICE SESSION_SERVICE
#define OBJECT "/org/freedesktop/systemd1"
#define MANAGER SERVICE ".Manager"
#define UNIT_INTERFACE SESSION_UNIT_INTERFACE
#define SERVICE_INTERFACE SERVICE ".Service"

#define STEP_MSEC 20

int session_make_id(char id[static SESSION_ID_LENGTH + 1])
{
    uint64_t random[2];

    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -errno;
    (void)snprintf(id, SESSION_ID_LENGTH + 1, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    return 0;
}

char *session_unit(uid_t caller, const char *id)
{
    char *unit;

    return asprintf(&unit, "pam-sandbox-session-%" PRIu32 "-%s.service", caller, id) < 0 ? NULL
                                                                                         : unit;
}

static bool is_missing(const sd_bus_error *error)
{
    return sd_bus_error_has_name(error, SERVICE ".NoSuchUnit") ||
           sd_bus_error_has_name(error, SD_BUS_ERROR_UNKNOWN_OBJECT);
}

int session_init(struct session *session, uid_t caller, const char *id)
{
    session->unit = session_unit(caller, id);
    if (!session->unit)
        return -ENOMEM;
    return sd_bus_path_encode(OBJECT "/unit", session->unit, &session->path);
}

static int connect_bus(struct session *session)
{
    return session->bus ? 0 : sd_bus_open_system(&session->bus);
}

int session_hold(struct session *session)
{
    int r = connect_bus(session);

    if (r >= 0)
        r = sd_bus_call_method(session->bus, SERVICE, session->path, UNIT_INTERFACE, "Ref", NULL,
                               NULL, NULL);
    return r < 0 ? r : 0;
}

void session_done(struct session *session)
{
    sd_bus_flush_close_unref(session->bus);
    free(session->unit);
    free(session->path);
    free(session->scope);
    *session = (struct session){ 0 };
}

struct property {
    const char *interface, *name;
    char type[2];
    void *value;
    int r; /* 1: there is no answer yet */
};

static int on_property(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
    struct property *property = userdata;

    (void)error;
    property->r = sd_bus_message_is_method_error(message, NULL)
                      ? -sd_bus_message_get_errno(message)
                      : sd_bus_message_read(message, "v", property->type, property->value);
    if (property->r > 0)
        property->r = 0;
    return 0;
}

/* Asks for all of them before it waits for the first: PID 1 is busy putting the session away. */
static int get_all(struct session *session, struct property *properties, size_t n)
{
    int r = connect_bus(session);

    for (size_t i = 0; r >= 0 && i < n; i++) {
        properties[i].r = 1;
        r = sd_bus_call_method_async(
            session->bus, NULL, SERVICE, session->path, "org.freedesktop.DBus.Properties", "Get",
            on_property, &properties[i], "ss", properties[i].interface, properties[i].name);
    }
    for (size_t i = 0; r >= 0 && i < n; i++) {
        while (r >= 0 && properties[i].r > 0) {
            r = sd_bus_process(session->bus, NULL);
            if (r == 0)
                r = sd_bus_wait(session->bus, UINT64_MAX);
        }
        if (r >= 0)
            r = properties[i].r;
    }
    return r < 0 ? r : 0;
}

int session_result(struct session *session, struct session_result *ret)
{
    struct session_result result = { 0 };
    uint64_t began = 0;
    /* The unit is of Type=exec (systemd.service(5)): active is one whose command was executed. */
    struct property properties[] = {
        { UNIT_INTERFACE, "ActiveEnterTimestampMonotonic", "t", &began, 0 },
        { SERVICE_INTERFACE, "ExecMainCode", "i", &result.code, 0 },
        { SERVICE_INTERFACE, "ExecMainStatus", "i", &result.status, 0 },
    };
    int r = get_all(session, properties, sizeof properties / sizeof *properties);

    if (r < 0)
        return r;
    result.began = began != 0;
    *ret = result;
    return 0;
}

static int read_property(sd_bus_message *message, struct session_result *result, bool *is_over)
{
    const char *name, *state;
    uint64_t began;
    int r = sd_bus_message_read(message, "s", &name);

    if (r < 0)
        return r;
    if (strcmp(name, "ExecMainCode") == 0)
        return sd_bus_message_read(message, "v", "i", &result->code);
    if (strcmp(name, "ExecMainStatus") == 0)
        return sd_bus_message_read(message, "v", "i", &result->status);
    if (strcmp(name, "ActiveEnterTimestampMonotonic") == 0) {
        r = sd_bus_message_read(message, "v", "t", &began);
        result->began = r >= 0 && began != 0;
        return r;
    }
    if (strcmp(name, "ActiveState") != 0)
        return sd_bus_message_skip(message, "v");
    r = sd_bus_message_read(message, "v", "s", &state);
    *is_over = r >= 0 && (strcmp(state, "inactive") == 0 || strcmp(state, "failed") == 0);
    return r;
}

/* systemd says what is of the service before what is of any unit, its state among that. */
int session_read_change(sd_bus_message *message, struct session_result *result)
{
    bool is_over = false;
    int r = sd_bus_message_skip(message, "s");

    if (r >= 0)
        r = sd_bus_message_enter_container(message, 'a', "{sv}");
    while (r >= 0 && (r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        r = read_property(message, result, &is_over);
        if (r >= 0)
            r = sd_bus_message_exit_container(message);
    }
    return r >= 0 && is_over && result->began && result->code != 0;
}

/* Also while it is only about to be: systemd starts what was asked for when it has nothing else to
 * do. */
static bool unit_is_active(struct session *session)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *job = NULL;
    _cleanup_free_ char *state = NULL;
    uint32_t id;

    if (sd_bus_get_property(session->bus, SERVICE, session->path, UNIT_INTERFACE, "Job", NULL, &job,
                            "(uo)") >= 0 &&
        sd_bus_message_read(job, "(uo)", &id, NULL) >= 0 && id != 0)
        return true;
    if (sd_bus_get_property_string(session->bus, SERVICE, session->path, UNIT_INTERFACE,
                                   "ActiveState", NULL, &state) < 0)
        return false;
    return strcmp(state, "inactive") != 0 && strcmp(state, "failed") != 0;
}

static void kill_unit(sd_bus *bus, const char *unit, const char *whom, int signal)
{
    /* What is not there is dead. */
    (void)sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER, "KillUnit", NULL, NULL, "ssi", unit,
                             whom, signal);
}

/* The scope that the PAM stack moved the first process to. That is stopped meanwhile: once it is
 * dead, nothing says any more where what it left is, and until it is moved it leaves nothing. */
static void find_scope(struct session *session)
{
    _cleanup_free_ char *id = NULL;
    uint32_t main = 0;
    char *scope;

    if (session->scope ||
        sd_bus_get_property_trivial(session->bus, SERVICE, session->path, SERVICE_INTERFACE,
                                    "MainPID", NULL, 'u', &main) < 0 ||
        main == 0)
        return;
    kill_unit(session->bus, session->unit, "main", SIGSTOP);
    if (sd_pid_get_session((pid_t)main, &id) >= 0 && asprintf(&scope, "session-%s.scope", id) >= 0)
        session->scope = scope;
}

static bool scope_is_gone(struct session *session)
{
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;

    return sd_bus_call_method(session->bus, SERVICE, OBJECT, MANAGER, "GetUnit", &error, NULL, "s",
                              session->scope) < 0 &&
           is_missing(&error);
}

int session_end(struct session *session, unsigned timeout_msec)
{
    const struct timespec step = { .tv_nsec = STEP_MSEC * 1000000L };
    unsigned quiet = 0;
    int r = connect_bus(session);

    if (r < 0)
        return r;
    for (unsigned waited = 0; waited <= timeout_msec; waited += STEP_MSEC) {
        find_scope(session);
        if (session->scope)
            kill_unit(session->bus, session->scope, "all", SIGKILL);
        /* After the scope: what has not got there yet is here, or will not be started any more. */
        (void)sd_bus_call_method(session->bus, SERVICE, OBJECT, MANAGER, "StopUnit", NULL, NULL,
                                 "ss", session->unit, "replace");
        kill_unit(session->bus, session->unit, "all", SIGKILL);

        /* Twice, as a process on its way from one to the other may be in neither. */
        if (unit_is_active(session) || (session->scope && !scope_is_gone(session)))
            quiet = 0;
        else if (++quiet == 2)
            return 0;
        nanosleep(&step, NULL);
    }
    return -ETIMEDOUT;
}

int session_signal(const char *unit, int signal)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    int r;

    r = sd_bus_open_system(&bus);
    if (r < 0)
        return r;
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
    r = sd_bus_call_method(bus, SERVICE, OBJECT, MANAGER, "KillUnit", &error, NULL, "ssi", unit,
                           "main", signal);
    if (r < 0 && (is_missing(&error) || sd_bus_error_has_name(&error, SERVICE ".NoSuchProcess")))
        return -ESRCH;
    return r < 0 ? r : 0;
}
