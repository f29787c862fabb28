/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/open.h"

#include "conf/cleanup.h"

/* What an option leaves open while is_relevant says that it counts. */
struct host_item {
    const char *option;
    bool (*is_relevant)(const struct config *config);
    const char *what;
};

struct sandbox_item {
    const char *option;
    bool (*is_relevant)(const struct config_sandbox *sandbox);
    const char *what;
    bool is_of_kernel_policy; /* which has it closed */
};

static bool kernel_policy_is_off(const struct config *config)
{
    return !config->host.kernel_policy;
}

static bool metadata_is_off(const struct config *config)
{
    return !config->host.deny_metadata;
}

static bool lock_is_without_kernel(const struct config *config)
{
    return config->host.lock_user && kernel_policy_is_off(config);
}

static bool reads_are_off(const struct config *config)
{
    return config->host.lock_user && config->host.kernel_policy && !config->host.deny_reads;
}

static bool allows_set_id(const struct config *config)
{
    return config->host.lock_user && config->host.kernel_policy && config->host.lock_allow_set_id &&
           config->host.lock_allow_set_id[0];
}

static bool diagnostics_are_off(const struct config *config)
{
    return config->host.lock_user && config->host.reads_exempt &&
           !config->host.unlink_worker_diagnostics;
}

static bool is_one_way(const struct config *config)
{
    return config->host.lock_user && config->host.one_way;
}

#define TURNED_OFF "turned off: "
#define KERNEL_POLICY_OPEN                                                                         \
    "world-writable files, set-id programs, sockets and processes of others are in reach"

static const struct host_item host_items[] = {
    { "kernel-policy", kernel_policy_is_off, TURNED_OFF KERNEL_POLICY_OPEN },
    { "deny-metadata", metadata_is_off, TURNED_OFF "cloud metadata addresses are in reach" },
    { "kernel-policy", lock_is_without_kernel,
      TURNED_OFF "set-id programs and what its groups open are in lock-user's reach, and its "
                 "processes read each other" },
    { "deny-reads", reads_are_off,
      TURNED_OFF "each process of lock-user reads the others' environment and memory" },
    { "lock-allow-set-id", allows_set_id, "lock-user gains privilege by these programs" },
    { "unlink-worker-diagnostics", diagnostics_are_off,
      TURNED_OFF "the process of reads-exempt shows lock-user its memory, where it runs on .NET" },
    { "one-way", is_one_way, "lock-user is locked though nobody may be left who could undo it" },
};

static bool proxy_is_off(const struct config_sandbox *sandbox)
{
    return !sandbox->egress.proxy;
}

static bool has_sockets(const struct config_sandbox *sandbox)
{
    return sandbox->local.allow_sockets && sandbox->local.allow_sockets[0];
}

static bool has_no_view(const struct config_sandbox *sandbox)
{
    return !sandbox->filesystem_view;
}

static bool has_no_tmp(const struct config_sandbox *sandbox)
{
    return !sandbox->private_tmp;
}

static const struct sandbox_item sandbox_items[] = {
    { "filesystem-view", has_no_view,
      TURNED_OFF "it writes wherever file modes let it, and sees other users' processes" },
    { "private-tmp", has_no_tmp, TURNED_OFF "/tmp, /var/tmp and /dev/shm are everybody's" },
    { "egress.proxy", proxy_is_off, TURNED_OFF "it reaches any address" },
    { "local.allow-sockets", has_sockets,
      "without kernel-policy: it reaches other Unix sockets too", .is_of_kernel_policy = true },
};

#define N_ITEMS(items) (sizeof(items) / sizeof((items)[0]))

int open_list(const struct config *config, open_item_t item, void *userdata)
{
    _cleanup_free_ const struct config_sandbox **sandboxes =
        calloc(config->n_sandboxes + 1, sizeof(struct config_sandbox *));

    if (!sandboxes)
        return -ENOMEM;
    for (size_t i = 0; i < N_ITEMS(host_items); i++)
        if (host_items[i].is_relevant(config)) {
            const struct open_item found = {
                .option = host_items[i].option,
                .what = host_items[i].what,
            };
            item(&found, userdata);
        }

    for (size_t i = 0; i < N_ITEMS(sandbox_items); i++) {
        if (sandbox_items[i].is_of_kernel_policy && config->host.kernel_policy)
            continue;
        struct open_item found = {
            .option = sandbox_items[i].option,
            .what = sandbox_items[i].what,
            .sandboxes = sandboxes,
        };
        for (size_t s = 0; s < config->n_sandboxes; s++)
            if (sandbox_items[i].is_relevant(&config->sandboxes[s]))
                sandboxes[found.n_sandboxes++] = &config->sandboxes[s];
        if (found.n_sandboxes > 0)
            item(&found, userdata);
    }
    return 0;
}
