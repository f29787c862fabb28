/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "systemd-generator/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "systemd-generator/egress.h"

/* What pam-sandbox.target starts once there is a sandbox, or a user who is locked.
 * pam-sandbox-users.service is not among them: it takes the snapshot, and is wanted by the target
 * whatever the configuration says. */
static const char *const sandbox_units[] = {
    "pam-sandbox-egress-feeds.timer",
    "pam-sandbox-entry.socket",
    "pam-sandbox-firewall.service",
    "pam-sandbox-reaper.service",
    "pam-sandbox-ready.service",
    "pam-sandbox-stacks.service",
    NULL,
};

/* And with kernel-policy, these. */
static const char *const kernel_policy_units[] = {
    "pam-sandbox-denials.service",
    "pam-sandbox-lsm.service",
    NULL,
};

/* The layers that may be turned off; those that every sandbox has stand in the unit itself. */
static const char layers_of_kernel_policy[] = "[Unit]\n"
                                              "BindsTo=pam-sandbox-lsm.service\n"
                                              "After=pam-sandbox-lsm.service\n";

/* Devices beyond those that DevicePolicy=closed leaves (systemd.resource-control(5): null, zero,
 * full, random, urandom; and in systemd's code tty, ptmx and pts): what rootless podman and virtual
 * machines open. Whether the user may open one is still up to the node's mode and group. Not
 * /dev/vhost-vsock: a guest that has it reaches what listens on the host's vsock (vsock(7)), which
 * no firewall sees. */
static const char device_lines[] = "DevicePolicy=closed\n"
                                   "DeviceAllow=/dev/fuse rw\n"
                                   "DeviceAllow=/dev/net/tun rw\n"
                                   "DeviceAllow=/dev/kvm rw\n"
                                   "DeviceAllow=/dev/vhost-net rw\n";

/* systemd.resource-control(5) writes "no limit" as infinity; a weight has no such word, and is
 * left at the default. */
static void print_limit(FILE *f, const char *name, uint64_t value)
{
    if (value == CONFIG_UNLIMITED)
        fprintf(f, "%s=infinity\n", name);
    else
        fprintf(f, "%s=%" PRIu64 "\n", name, value);
}

static void print_weight(FILE *f, const char *name, uint64_t value)
{
    if (value != CONFIG_UNLIMITED)
        fprintf(f, "%s=%" PRIu64 "\n", name, value);
}

/* All sessions of the sandbox and its user manager are in this slice. What starts after something
 * stops before it (systemd.unit(5)): when the host goes down, the kernel policy goes after the last
 * of them. */
static void print_slice(FILE *f, const struct config_sandbox *sandbox)
{
    fputs("[Unit]\n"
          "After=pam-sandbox-lsm.service\n"
          "\n"
          "[Slice]\n",
          f);
    print_limit(f, "TasksMax", sandbox->limits.tasks);
    print_limit(f, "MemoryMax", sandbox->limits.memory);
    print_weight(f, "CPUWeight", sandbox->limits.cpu_weight);
    print_weight(f, "IOWeight", sandbox->limits.io_weight);
    fputs(device_lines, f);
}

/* A sandbox's last session takes the manager and the runtime directory with it, and the next one
 * wants both again: sessions that follow each other closely would soon meet the start limit of
 * systemd-system.conf(5), and be refused. */
#define NO_START_LIMIT "StartLimitIntervalSec=0\n"

/* The reaper ends the manager with SIGKILL: that is no failure, and must not leave a failed unit
 * behind each last session. The stop timeout matters only when the reaper is not there. */
static void print_manager(FILE *f, const struct config_sandbox *sandbox)
{
    (void)sandbox;
    fputs("[Unit]\n"
          "AssertPathExists=" READY_FILE "\n" NO_START_LIMIT "\n"
          "[Service]\n"
          "SuccessExitStatus=SIGKILL\n"
          "TimeoutStopSec=2s\n",
          f);
}

/* A process moves from its session to a scope of the user manager, as systemd-run and podman ask,
 * only where it may write the cgroup.procs of what both are in: the slice (the kernel's
 * cgroup_procs_write_permission() in kernel/cgroup/cgroup.c). systemd would do it for the manager,
 * but for that it has to be spoken with, on the system bus. The slice is there, as this unit runs
 * in it, and keeps the owner for as long as this unit does. */
static void print_slice_owner(FILE *f, unsigned uid)
{
    fprintf(f,
            "ExecStartPre=/usr/bin/chown --no-dereference %u"
            " /sys/fs/cgroup/user.slice/user-%u.slice/cgroup.procs\n",
            uid, uid);
}

/* Before systemd makes /run/user/UID, so that a failure leaves nothing to be taken back: ExecStop=
 * is not run for a unit that did not start, ExecStopPost= is (systemd.service(5)). */
static void print_runtime_dir(FILE *f, const struct config_sandbox *sandbox)
{
    const unsigned uid = (unsigned)sandbox->uid;

    fputs("[Unit]\n" NO_START_LIMIT, f);
    if (sandbox->private_tmp)
        fputs("RequiresMountsFor=" PRIVATE_DISK_DIR "\n", f);
    fputs("\n[Service]\n", f);
    print_slice_owner(f, uid);
    if (sandbox->private_tmp)
        fprintf(f,
                "ExecStartPre=" PKGLIBEXECDIR "/private-tmp make %u\n"
                "ExecStopPost=" PKGLIBEXECDIR "/private-tmp remove %u\n",
                uid, uid);
}

/* The drop-ins of each sandbox. The name sorts after the 10-defaults.conf of systemd's
 * own user-.slice.d, and nothing in /etc can mask it: the early directory comes first. */
static const struct {
    const char *name; /* with the uid for %u */
    void (*print)(FILE *f, const struct config_sandbox *sandbox);
} drop_ins[] = {
    { "user-%u.slice.d/50-pam-sandbox.conf", print_slice },
    { "user@%u.service.d/50-pam-sandbox.conf", print_manager },
    { "user-runtime-dir@%u.service.d/50-pam-sandbox.conf", print_runtime_dir },
};

#define N_DROP_INS (sizeof(drop_ins) / sizeof(drop_ins[0]))

static int emit_drop_in(const struct emit *emit, const struct config_sandbox *sandbox, size_t i)
{
    _cleanup_free_ char *name = NULL, *subject = NULL, *text = NULL;
    size_t size;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the table above */
    if (asprintf(&name, drop_ins[i].name, (unsigned)sandbox->uid) < 0)
        return -ENOMEM;
#pragma GCC diagnostic pop
    if (asprintf(&subject, "sandbox \"%s\"", sandbox->name) < 0)
        return -ENOMEM;

    FILE *f = open_memstream(&text, &size);
    if (!f)
        return -ENOMEM;
    drop_ins[i].print(f, sandbox);
    if (fclose(f) != 0)
        return -ENOMEM;

    return emit_file(emit, name, subject, text);
}

static int emit_sandbox(const struct emit *emit, const struct config_sandbox *sandbox)
{
    for (size_t i = 0; i < N_DROP_INS; i++) {
        int r = emit_drop_in(emit, sandbox, i);
        if (r < 0)
            return r;
    }
    return egress_emit(emit, sandbox);
}

static int emit_wants(const struct emit *emit, const char *const *unit)
{
    int r = 0;

    for (; *unit && r == 0; unit++) {
        char name[128], target[128];

        snprintf(name, sizeof(name), "pam-sandbox.target.wants/%s", *unit);
        snprintf(target, sizeof(target), UNIT_PATH "%s", *unit);
        r = emit_link(emit, name, target);
    }
    return r;
}

static int emit_kernel_policy(const struct emit *emit)
{
    int r = emit_wants(emit, kernel_policy_units);
    if (r < 0)
        return r;
    return emit_file(emit, "pam-sandbox-ready.service.d/50-layers.conf", "kernel-policy",
                     layers_of_kernel_policy);
}

int units_emit(const struct emit *emit, const struct config *config)
{
    int r;

    /* A link to /dev/null in the early directory masks the unit wherever its file is. */
    for (char **unit = config->host.stop_services; *unit; unit++) {
        r = emit_link(emit, *unit, "/dev/null");
        if (r < 0)
            return r;
    }

    if (config->n_sandboxes == 0 && !config->host.lock_user)
        return 0;

    r = emit_wants(emit, sandbox_units);
    if (r == 0 && config->host.kernel_policy)
        r = emit_kernel_policy(emit);
    if (r < 0)
        return r;

    for (size_t i = 0; i < config->n_sandboxes; i++) {
        r = emit_sandbox(emit, &config->sandboxes[i]);
        if (r < 0)
            return r;
    }
    return 0;
}
