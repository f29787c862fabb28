/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Services that answer without asking polkit: those of the system bus, and systemd-resolved. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>

#define BUS_SOCKET "/run/dbus/system_bus_socket"
#define RESOLVE_SOCKET "/run/systemd/resolve/io.systemd.Resolve"
#define RESOLVE_SERVICE "org.freedesktop.resolve1"

/* What the bus starts when it is asked, and ends by itself when it is idle. Others that are not
 * running are let be. */
static const char *const transient[] = {
    "org.freedesktop.hostname1",
    "org.freedesktop.locale1",
    "org.freedesktop.timedate1",
};

#define N_TRANSIENT (sizeof transient / sizeof *transient)

/* Calls a method that each service has and none minds. Returns 0 when it answered, also with an
 * error of its own; -EACCES when it was not let; or a negative errno. */
static int ping(const char *service, const char **reason, sd_bus_error *error)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    int r = sd_bus_open_system(&bus);

    *reason = NULL;
    if (r == -EACCES || r == -EPERM || r == -ENOENT || r == -ECONNREFUSED) {
        *reason = strerror(-r);
        return -EACCES;
    }
    if (r < 0)
        return r;
    /* It may have to be started for it. */
    sd_bus_set_method_call_timeout(bus, (ATTEMPT_SECONDS / 2) * UINT64_C(1000000));
    r = sd_bus_call_method(bus, service, "/", "org.freedesktop.DBus.Peer", "Ping", error, NULL, "");
    if (r >= 0 || sd_bus_error_has_name(error, SD_BUS_ERROR_UNKNOWN_METHOD) ||
        sd_bus_error_has_name(error, SD_BUS_ERROR_UNKNOWN_OBJECT) ||
        sd_bus_error_has_name(error, SD_BUS_ERROR_UNKNOWN_INTERFACE))
        return 0;
    *reason = error->message ? error->message : strerror(-r);
    return sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED) ? -EACCES : r;
}

/* ping SERVICE: gets through when it answers. */
enum attempt_result attempt_ping(int argc, char **argv)
{
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
    const char *reason;
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no service to call");
    r = ping(argv[1], &reason, &error);
    if (r == 0)
        return attempt_say(ATTEMPT_THROUGH, "%s on the system bus: answered", argv[1]);
    return attempt_say(r == -EACCES ? ATTEMPT_REFUSED : ATTEMPT_UNTRIED, "%s on the system bus: %s",
                       argv[1], reason ? reason : strerror(-r));
}

static bool is_in(char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t count(char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

/* Names of services that are running, and those that may be started for it; not the bus itself. */
static int list_services(char ***running, char ***startable)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    int r = sd_bus_open_system(&bus);

    return r < 0 ? r : sd_bus_list_names(bus, running, startable);
}

/* A socket in the file system is not enough where the sandbox may use the bus. */
static bool has_bus(void)
{
    struct stat st;

    return stat(BUS_SOCKET, &st) == 0 && S_ISSOCK(st.st_mode);
}

void probe_dbus(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), root = PLACE_ROOT;
    _cleanup_strv_ char **running = NULL, **startable = NULL;
    _cleanup_free_ struct call *tried = NULL, *control = NULL;
    _cleanup_free_ char **services = NULL;
    size_t n = 0;
    int r;

    if (kernel_policy_is_off(run, "the system bus is open to it, but for what its policy says"))
        return;
    if (!has_bus()) {
        probe_skip(run, "this host has no system bus");
        return;
    }
    r = list_services(&running, &startable);
    if (r < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: the system bus: %s", strerror(-r));
        probe_found_control(run, VERDICT_FAIL, "could not be tried: the system bus: %s",
                            strerror(-r));
        return;
    }
    qsort(running, count(running), sizeof *running, compare);
    services = calloc(count(running) + N_TRANSIENT + 1, sizeof *services);
    if (!services)
        abort();
    for (char **name = running; *name; name++)
        if ((*name)[0] != ':' && strcmp(*name, "org.freedesktop.DBus") != 0 &&
            probe_wants_object(run, *name))
            services[n++] = *name;
    for (size_t i = 0; i < N_TRANSIENT; i++)
        if (is_in(startable, transient[i]) && !is_in(running, transient[i]) &&
            probe_wants_object(run, transient[i]))
            services[n++] = (char *)transient[i];
    if (n == 0) {
        probe_skip(run, "the system bus has no such service");
        return;
    }

    /* Root first, so that they are there when the sandbox asks. */
    control = place_run_each(run, &root, "ping", services, n);
    tried = place_run_each(run, &sandbox, "ping", services, n);
    for (size_t i = 0; i < n; i++) {
        run->object = services[i];
        place_judge(run, &tried[i]);
        place_judge_control(run, &control[i]);
    }
}

void probe_resolve(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), root = PLACE_ROOT;
    _cleanup_strv_ char **running = NULL, **startable = NULL;
    struct call control[2], tried[2];
    static const char *const by_socket[] = { "connect", RESOLVE_SOCKET, NULL };
    static const char *const by_bus[] = { "ping", RESOLVE_SERVICE, NULL };
    size_t n = 0, worst = 0, best = 0;

    if (kernel_policy_is_off(run, "systemd-resolved answers it, and so carries data out"))
        return;
    if (connect_find(RESOLVE_SOCKET) == 0)
        tried[n++] = (struct call){ .argv = by_socket };
    if (has_bus() && list_services(&running, &startable) >= 0 && is_in(running, RESOLVE_SERVICE))
        tried[n++] = (struct call){ .argv = by_bus };
    if (n == 0) {
        probe_skip(run, "systemd-resolved does not run on this host");
        return;
    }
    memcpy(control, tried, sizeof tried);
    place_run(run, &root, control, n);
    place_run(run, &sandbox, tried, n);
    for (size_t i = 1; i < n; i++) {
        if (tried[i].result != ATTEMPT_REFUSED)
            worst = i;
        if (control[i].result != ATTEMPT_THROUGH)
            best = i;
    }
    place_judge(run, &tried[worst]);
    place_judge_control(run, &control[best]);
}
