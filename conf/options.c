/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conf/rules.h"
#include "conf/types.h"

const struct section sections[N_SECTIONS] = {
    [SECTION_HOST] = { "host", SECTION_HOST },
    [SECTION_RUN0] = { "run0", SECTION_RUN0 },
    [SECTION_RUN0_LIMITS] = { "limits", SECTION_RUN0 },
    [SECTION_SANDBOX] = { "sandbox", SECTION_SANDBOX },
    [SECTION_SANDBOX_LIMITS] = { "limits", SECTION_SANDBOX },
    [SECTION_EGRESS] = { "egress", SECTION_SANDBOX },
    [SECTION_LOCAL] = { "local", SECTION_SANDBOX },
};

/* What a limit may be. pam_systemd silently ignores a value that it cannot parse, and the kernel
 * refuses some that systemd takes, so no other value gets that far.
 * Tasks: below, not even the user manager starts; PIDS_MAX in the kernel's kernel/cgroup/pids.c.
 * Memory: likewise; what a page counter holds. Weights: systemd.resource-control(5).
 * Files: fs.nr_open as the kernel sets it, as setrlimit(2) refuses more. */
#define SESSIONS .min = 1, .max = 8192
#define TASKS .min = 16, .max = 4194304
#define MEMORY .min = 64ULL << 20, .max = 1ULL << 62
#define WEIGHT .min = 1, .max = 10000
#define RUNTIME .min = 1000000ULL, .max = 3650ULL * 24 * 3600 * 1000000
#define FILES .min = 64, .max = 1048576

/* Debian Policy 9.2.2: 1000 to 59999 are user accounts. Beyond are ids that Debian allocates, and
 * those of systemd-homed, of dynamic users, of nobody, of containers and foreign trees. */
#define UIDS .min = 1000, .max = 59999
/* Above the 16 bits of users; below systemd's foreign range (systemd.io/UIDS-GIDS), which is below
 * the half of the numbers that are negative to some programs. */
#define SUBIDS .min = 65536, .max = 2147352575

#define LIST .max = 1024

#define AT(structure, field) .offset = offsetof(struct structure, field)

const struct option options[] = {
    /* host */
    { "lock-user", SECTION_HOST, &type_text, AT(config, host.lock_user), .check = rule_lock_user,
      .about = "a user who loses every way to root" },
    { "one-way", SECTION_HOST, &type_bool, AT(config, host.one_way), .fallback = "false",
      .about = "lock that user even where nobody else could become root" },
    { "lock-allow-set-id", SECTION_HOST, &type_texts, AT(config, host.lock_allow_set_id), LIST,
      .check = rule_path, .about = "programs by which that user may gain privilege" },
    { "deny-reads", SECTION_HOST, &type_bool, AT(config, host.deny_reads), .fallback = "true",
      .about = "no process of that user reads another's environment or memory" },
    { "reads-exempt", SECTION_HOST, &type_text, AT(config, host.reads_exempt),
      .fallback = "Runner.Worker", .check = rule_program_name,
      .about = "a program, the one running process of which may" },
    { "unlink-worker-diagnostics", SECTION_HOST, &type_bool,
      AT(config, host.unlink_worker_diagnostics), .fallback = "true",
      .about = "remove the sockets by which that process shows its memory" },
    { "stop-services", SECTION_HOST, &type_texts, AT(config, host.stop_services), LIST,
      .check = rule_stop_service, .about = "units that are masked at boot" },
    { "deny-metadata", SECTION_HOST, &type_bool, AT(config, host.deny_metadata), .fallback = "true",
      .about = "close the metadata addresses of clouds to sandboxes and lock-user" },
    { "kernel-policy", SECTION_HOST, &type_bool, AT(config, host.kernel_policy), .fallback = "true",
      .about = "enforce the kernel policy" },

    /* run0 */
    { "deny-env", SECTION_RUN0, &type_texts, AT(config, run0.deny_env), LIST,
      .check = rule_deny_env, .about = "patterns of variables that no run0 session sees" },

    /* run0 { limits } */
    { "tasks", SECTION_RUN0_LIMITS, &type_number, AT(config, run0.limits.tasks), TASKS,
      .fallback = "infinity", .about = "processes and threads of one session" },
    { "memory", SECTION_RUN0_LIMITS, &type_size, AT(config, run0.limits.memory), MEMORY,
      .fallback = "infinity", .about = "memory of one session" },
    { "cpu-weight", SECTION_RUN0_LIMITS, &type_weight, AT(config, run0.limits.cpu_weight), WEIGHT,
      .fallback = "default", .about = "share of the CPU" },
    { "io-weight", SECTION_RUN0_LIMITS, &type_weight, AT(config, run0.limits.io_weight), WEIGHT,
      .fallback = "default", .about = "share of input and output" },
    { "runtime", SECTION_RUN0_LIMITS, &type_time, AT(config, run0.limits.runtime_usec), RUNTIME,
      .fallback = "infinity", .about = "time after which a session is ended" },
    { "open-files", SECTION_RUN0_LIMITS, &type_number, AT(config, run0.limits.open_files), FILES,
      .fallback = "infinity", .about = "file descriptors of one process" },

    /* sandbox */
    { "uid", SECTION_SANDBOX, &type_uid, AT(config_sandbox, uid), UIDS,
      .about = "user and group id; must be set" },
    { "subids", SECTION_SANDBOX, &type_id_range, AT(config_sandbox, subids), SUBIDS,
      .about = "subordinate user and group ids, START:COUNT" },
    { "groups", SECTION_SANDBOX, &type_texts, AT(config_sandbox, groups), LIST, .check = rule_group,
      .about = "further groups of the user" },
    { "env", SECTION_SANDBOX, &type_texts, AT(config_sandbox, env), LIST, .check = rule_env,
      .about = "variables of the session, NAME=VALUE" },
    { "filesystem-view", SECTION_SANDBOX, &type_bool, AT(config_sandbox, filesystem_view),
      .fallback = "true", .about = "everything but the sandbox's own is read-only" },
    { "private-tmp", SECTION_SANDBOX, &type_bool, AT(config_sandbox, private_tmp),
      .fallback = "true", .about = "/tmp, /var/tmp and /dev/shm of its own" },
    { "private-paths", SECTION_SANDBOX, &type_texts, AT(config_sandbox, private_paths), LIST,
      .check = rule_private_path, .about = "directories that are empty in a session" },
    { "allow-users", SECTION_SANDBOX, &type_texts, AT(config_sandbox, allow_users), LIST,
      .check = rule_user_name, .about = "users who may enter, beside root" },
    { "allow-groups", SECTION_SANDBOX, &type_texts, AT(config_sandbox, allow_groups), LIST,
      .check = rule_allowed_group, .about = "groups whose members may enter" },
    { "allow-env", SECTION_SANDBOX, &type_texts, AT(config_sandbox, allow_env), LIST,
      .check = rule_allowed_env, .about = "patterns of variables that who enters may set" },

    /* sandbox { limits } */
    { "sessions", SECTION_SANDBOX_LIMITS, &type_number, AT(config_sandbox, limits.sessions),
      SESSIONS, .fallback = "64", .about = "open sessions at once" },
    { "tasks", SECTION_SANDBOX_LIMITS, &type_number, AT(config_sandbox, limits.tasks), TASKS,
      .fallback = "4096", .about = "processes and threads of all sessions together" },
    { "memory", SECTION_SANDBOX_LIMITS, &type_size, AT(config_sandbox, limits.memory), MEMORY,
      .fallback = "8G", .about = "memory of all sessions together" },
    { "cpu-weight", SECTION_SANDBOX_LIMITS, &type_weight, AT(config_sandbox, limits.cpu_weight),
      WEIGHT, .fallback = "100", .about = "share of the CPU" },
    { "io-weight", SECTION_SANDBOX_LIMITS, &type_weight, AT(config_sandbox, limits.io_weight),
      WEIGHT, .fallback = "default", .about = "share of input and output" },
    { "runtime", SECTION_SANDBOX_LIMITS, &type_time, AT(config_sandbox, limits.runtime_usec),
      RUNTIME, .fallback = "6h", .about = "time after which a session is ended" },
    { "open-files", SECTION_SANDBOX_LIMITS, &type_number, AT(config_sandbox, limits.open_files),
      FILES, .fallback = "65536", .about = "file descriptors of one process" },

    /* egress */
    { "proxy", SECTION_EGRESS, &type_bool, AT(config_sandbox, egress.proxy), .fallback = "true",
      .about = "the network through the sandbox's proxy alone" },
    { "port", SECTION_EGRESS, &type_port, AT(config_sandbox, egress.port), .min = 1024,
      .max = 65535, .about = "of the loopback interface, where the proxy listens" },
    { "allow", SECTION_EGRESS, &type_texts, AT(config_sandbox, egress.allow), LIST,
      .check = rule_allowed_host, .about = "hosts that may be read from; empty: all" },
    { "direct", SECTION_EGRESS, &type_endpoints, AT(config_sandbox, egress.direct),
      .count_offset = offsetof(struct config_sandbox, egress.n_direct), LIST,
      .about = "addresses and ports reached around the proxy" },
    { "policy", SECTION_EGRESS, &type_text, AT(config_sandbox, egress.policy), .check = rule_path,
      .about = "file with the proxy's rules" },

    /* local */
    { "allow-sockets", SECTION_LOCAL, &type_texts, AT(config_sandbox, local.allow_sockets), LIST,
      .check = rule_socket_path, .about = "Unix sockets of others that may be connected to" },
    { "allow-tcp-ports", SECTION_LOCAL, &type_ports, AT(config_sandbox, local.allow_tcp_ports),
      .count_offset = offsetof(struct config_sandbox, local.n_allow_tcp_ports), LIST,
      .about = "local TCP ports that may be connected to" },
};

const size_t n_options = sizeof options / sizeof *options;

size_t options_first_of_sandbox(void)
{
    size_t i = 0;

    while (options[i].section < SECTION_SANDBOX)
        i++;
    return i;
}

const char *option_full_name(const struct option *option, char buffer[static 64])
{
    const struct section *section = &sections[option->section];

    if (section->parent == option->section)
        return option->name;
    snprintf(buffer, 64, "%s.%s", section->name, option->name);
    return buffer;
}

void options_clear(void *target, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        options[i].type->clear(&options[i], target);
}

int options_set_fallbacks(void *target, size_t first, size_t last)
{
    struct reason reason;

    for (size_t i = first; i < last; i++) {
        int r = options[i].fallback
                    ? options[i].type->read(&options[i], options[i].fallback, target, &reason)
                    : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

int options_complete(void *target, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        char ***field = (char ***)((char *)target + options[i].offset);

        if (options[i].type != &type_texts || *field)
            continue;
        *field = calloc(1, sizeof **field);
        if (!*field)
            return -ENOMEM;
    }
    return 0;
}
