/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Becoming root through what a host offers for it. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define POLKITD "/usr/lib/polkit-1/polkitd"

/* Runs what prints the uid it runs as, and gets through when that is root's. */
static enum attempt_result become_root(const char *const argv[], const char *what)
{
    const char *reason;
    char output[2048];
    int r;

    r = attempt_capture(argv, "", output, sizeof output);
    if (r == -EPERM || r == -EACCES)
        return attempt_say(ATTEMPT_REFUSED, "%s: exec: %s", what, strerror(-r));
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", argv[0], strerror(-r));
    if (r == 0 && strcmp(attempt_last_line(output), "0") == 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: ran as root", what);

    /* sudo warns first and then says why; pkexec threatens last. */
    reason = attempt_last_line(output);
    if (strncmp(reason, "This incident", strlen("This incident")) == 0) {
        output[strcspn(output, "\n")] = '\0';
        reason = output;
    }
    if (r == 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s: did not say who it ran as: %s", what, reason);
    /* pkexec too ends with what a shell says of a program that is not there. */
    if (r == 127 && strstr(reason, "not found"))
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", what, reason);
    return attempt_say(ATTEMPT_REFUSED, "%s: %s", what,
                       *reason ? reason : "refused without a word");
}

enum attempt_result attempt_sudo(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return become_root((const char *const[]){ "sudo", "-n", "--", "id", "-u", NULL },
                       "sudo -n id -u");
}

enum attempt_result attempt_su(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return become_root((const char *const[]){ "su", "--command=id -u", "root", NULL }, "su root");
}

enum attempt_result attempt_pkexec(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    /* From a shell that stays: pkexec refuses a child of PID 1 whatever the rules say. */
    return become_root(
        (const char *const[]){ "sh", "-c", "pkexec --disable-internal-agent id -u; exit $?", NULL },
        "pkexec id -u from a shell");
}

enum attempt_result attempt_run0(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return become_root((const char *const[]){ "run0", "--no-ask-password", "--pipe",
                                              "--background=", "--", "id", "-u", NULL },
                       "run0 id -u");
}

/* Asks polkit about the caller itself: org.freedesktop.PolicyKit1.Authority(5). */
static int check_authorization(sd_bus *bus, const char *action, bool *authorized,
                               sd_bus_error *error)
{
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
    const char *name;
    int value, r;

    r = sd_bus_get_unique_name(bus, &name);
    if (r < 0)
        return r;
    r = sd_bus_call_method(
        bus, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
        "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", error, &reply,
        "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s", name, action, 0, 0, "");
    if (r < 0)
        return r;
    r = sd_bus_message_enter_container(reply, 'r', "bba{ss}");
    if (r < 0)
        return r;
    r = sd_bus_message_read(reply, "b", &value);
    if (r < 0)
        return r;
    *authorized = value;
    return 0;
}

/* polkit ACTION…: gets through when it is authorised for one of them. */
enum attempt_result attempt_polkit(int argc, char **argv)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    int r;

    r = sd_bus_open_system(&bus);
    if (r == -EACCES || r == -EPERM)
        return attempt_say(ATTEMPT_REFUSED, "asking polkit over the system bus: %s", strerror(-r));
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "the system bus: %s", strerror(-r));
    /* polkit may have to be started for it. */
    sd_bus_set_method_call_timeout(bus, (ATTEMPT_SECONDS / 2) * UINT64_C(1000000));

    for (int i = 1; i < argc; i++) {
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        bool authorized = false;

        r = check_authorization(bus, argv[i], &authorized, &error);
        if (sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED))
            return attempt_say(ATTEMPT_REFUSED, "asking polkit over the system bus: %s",
                               error.message);
        if (r < 0)
            return attempt_say(ATTEMPT_UNTRIED, "polkit on %s: %s", argv[i],
                               error.message ? error.message : strerror(-r));
        if (authorized)
            return attempt_say(ATTEMPT_THROUGH, "polkit authorises %s", argv[i]);
    }
    return attempt_say(ATTEMPT_REFUSED, "polkit on %s%s: not authorised", argv[1],
                       argc > 2 ? " and others" : "");
}

/* Whether one of the process's groups, the effective one included, is named so. */
static bool in_group(const char *name)
{
    const struct group *group = getgrnam(name);
    gid_t list[256];
    int n;

    if (!group)
        return false;
    if (getegid() == group->gr_gid)
        return true;
    n = getgroups(sizeof list / sizeof *list, list);
    for (int i = 0; i < n; i++)
        if (list[i] == group->gr_gid)
            return true;
    return false;
}

/* groups-any GROUP…: gets through when it is in one of them. */
enum attempt_result attempt_groups_any(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (in_group(argv[i]))
            return attempt_say(ATTEMPT_THROUGH, "it is in group %s", argv[i]);
    return attempt_say(ATTEMPT_REFUSED, "%s and others: in none of %d groups", argv[1], argc - 1);
}

/* groups-all GROUP…: gets through when it is in each of them. */
enum attempt_result attempt_groups_all(int argc, char **argv)
{
    char names[512] = "";

    for (int i = 1; i < argc; i++) {
        if (!in_group(argv[i]))
            return attempt_say(ATTEMPT_REFUSED, "it is not in group %s", argv[i]);
        if (strlen(names) + strlen(argv[i]) + 2 < sizeof names)
            sprintf(names + strlen(names), " %s", argv[i]);
    }
    return attempt_say(ATTEMPT_THROUGH, "its groups:%s", names);
}

/* The attempt in the sandbox's session, and by root. */
static void probe_program(struct probe_run *run, const char *program, const char *attempt)
{
    const struct place sandbox = PLACE_SANDBOX(run), root = PLACE_ROOT;
    struct call tried[] = { CALL(attempt) }, control[] = { CALL(attempt) };

    if (access(program, X_OK) < 0) {
        probe_skip(run, "this host has no %s", program);
        return;
    }
    place_run(run, &sandbox, tried, 1);
    place_run(run, &root, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_sudo(struct probe_run *run)
{
    probe_program(run, "/usr/bin/sudo", "sudo");
}

void probe_pkexec(struct probe_run *run)
{
    probe_program(run, "/usr/bin/pkexec", "pkexec");
}

void probe_run0(struct probe_run *run)
{
    probe_program(run, "/usr/bin/run0", "run0");
}

void probe_polkit(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    /* systemd gives the first two to everybody, so that a refusal is ours. */
    struct call tried[] = { CALL("polkit", "org.freedesktop.login1.set-self-linger",
                                 "org.freedesktop.login1.inhibit-delay-shutdown",
                                 "org.freedesktop.systemd1.manage-units",
                                 "org.freedesktop.login1.set-user-linger") };
    struct call control[] = { CALL("polkit", "org.freedesktop.login1.inhibit-delay-shutdown") };

    if (access(POLKITD, X_OK) < 0) {
        probe_skip(run, "this host has no polkit: what would ask it is root's alone");
        return;
    }
    place_run(run, &sandbox, tried, 1);
    place_run(run, &nobody, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_groups(struct probe_run *run)
{
    const struct place place = PLACE_SANDBOX(run);
    const char *all[66] = { "groups-all", run->sandbox->name, "sandboxes" };
    size_t n = 3;

    for (char **g = run->sandbox->groups; *g && n < 65; g++)
        all[n++] = *g;
    all[n] = NULL;

    /* What makes root of its members, on a Debian host with the usual packages. */
    struct call calls[] = {
        CALL("groups-any", "root", "adm", "disk", "docker", "empower", "incus", "incus-admin",
             "kmem", "libvirt", "lxd", "podman", "shadow", "sudo", "systemd-journal", "wheel"),
        { .argv = all },
    };
    place_run(run, &place, calls, 2);
    place_judge(run, &calls[0]);
    place_judge_control(run, &calls[1]);
}
