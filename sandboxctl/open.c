/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/open.h"

/* An option is looked at when is_relevant says so (NULL: always), and then what it leaves open is
 * one line. */
struct host_item {
    const char *option;
    bool (*is_relevant)(const struct config *config);
    const char *what;
};

struct sandbox_item {
    const char *option;
    bool (*is_relevant)(const struct config_sandbox *sandbox);
    const char *what;
};

static bool kernel_policy_is_on(const struct config *config)
{
    return config->host.kernel_policy;
}

static bool kernel_policy_is_off(const struct config *config)
{
    return !config->host.kernel_policy;
}

static bool metadata_is_on(const struct config *config)
{
    return config->host.deny_metadata;
}

static bool metadata_is_off(const struct config *config)
{
    return !config->host.deny_metadata;
}

static bool has_lock_user(const struct config *config)
{
    return config->host.lock_user;
}

#define NO_LAYER "set, but this version has no such layer: "
#define TURNED_OFF "turned off: "
#define KERNEL_POLICY_OPEN                                                                         \
    "world-writable files outside the view, set-id programs and other users' sockets are "         \
    "reachable"
#define METADATA_OPEN "cloud metadata addresses are reachable"

static const struct host_item host_items[] = {
    { "kernel-policy", kernel_policy_is_on, NO_LAYER KERNEL_POLICY_OPEN },
    { "kernel-policy", kernel_policy_is_off, TURNED_OFF KERNEL_POLICY_OPEN },
    { "deny-metadata", metadata_is_on, NO_LAYER METADATA_OPEN },
    { "deny-metadata", metadata_is_off, TURNED_OFF METADATA_OPEN },
    { "lock-user", has_lock_user, NO_LAYER "this user keeps sudo, polkit and its groups" },
};

static bool proxy_is_on(const struct config_sandbox *sandbox)
{
    return sandbox->egress.proxy;
}

static bool proxy_is_off(const struct config_sandbox *sandbox)
{
    return !sandbox->egress.proxy;
}

static bool has_allow(const struct config_sandbox *sandbox)
{
    return sandbox->egress.allow && sandbox->egress.allow[0];
}

static bool has_direct(const struct config_sandbox *sandbox)
{
    return sandbox->egress.n_direct > 0;
}

static bool has_policy(const struct config_sandbox *sandbox)
{
    return sandbox->egress.policy;
}

static bool has_sockets(const struct config_sandbox *sandbox)
{
    return sandbox->local.allow_sockets && sandbox->local.allow_sockets[0];
}

static bool has_ports(const struct config_sandbox *sandbox)
{
    return sandbox->local.n_allow_tcp_ports > 0;
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
    { "egress.proxy", proxy_is_on, NO_LAYER "it reaches any address" },
    { "egress.proxy", proxy_is_off, TURNED_OFF "it reaches any address" },
    { "egress.allow", has_allow, NO_LAYER "it reaches other names too" },
    { "egress.direct", has_direct, NO_LAYER "it reaches other addresses too" },
    { "egress.policy", has_policy, NO_LAYER "what it sends is not looked at" },
    { "local.allow-sockets", has_sockets, NO_LAYER "it reaches other Unix sockets too" },
    { "local.allow-tcp-ports", has_ports, NO_LAYER "it reaches other local ports too" },
};

#define N_ITEMS(items) (sizeof(items) / sizeof((items)[0]))

void open_list(const struct config *config, open_item_t item, void *userdata)
{
    for (size_t i = 0; i < N_ITEMS(host_items); i++)
        if (host_items[i].is_relevant(config))
            item(NULL, host_items[i].option, host_items[i].what, userdata);

    for (size_t s = 0; s < config->n_sandboxes; s++)
        for (size_t i = 0; i < N_ITEMS(sandbox_items); i++)
            if (sandbox_items[i].is_relevant(&config->sandboxes[s]))
                item(config->sandboxes[s].name, sandbox_items[i].option, sandbox_items[i].what,
                     userdata);
}
