/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/proxies.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "sandboxctl/exchange.h"
#include "sandboxctl/listening.h"
#include "sandboxctl/manager.h"
#include "sandboxctl/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *name_unit(const struct config_sandbox *sandbox, const char *kind)
{
    char *name;

    return asprintf(&name, PROXY_PREFIX "%s.%s", sandbox->name, kind) < 0 ? NULL : name;
}

/* As sessions see it: what is to be trusted is published while the socket listens. */
static bool is_published(const struct config_sandbox *sandbox)
{
    _cleanup_free_ char *path = NULL;

    return asprintf(&path, EGRESS_PUBLIC_DIR "/%s/" EGRESS_BUNDLE_NAME, sandbox->name) >= 0 &&
           access(path, F_OK) == 0;
}

static int gather_one(sd_bus *bus, const struct config_sandbox *sandbox,
                      const struct listening *listening, struct proxy_state *ret)
{
    _cleanup_unit_ struct manager_unit unit = {};
    _cleanup_free_ char *name = name_unit(sandbox, "socket");

    if (!name)
        return -ENOMEM;
    int r = bus ? manager_get_unit(bus, name, &unit) : -ENOTCONN;
    if (r == -ENOMEM)
        return r;
    ret->known = r == 0;
    if (r < 0)
        ret->state = strdup("unknown");
    else if (strcmp(unit.active, "failed") == 0) {
        if (asprintf(&ret->state, "failed (%s)", unit.result) < 0)
            ret->state = NULL;
    } else if (strcmp(unit.active, "active") != 0)
        ret->state = strdup(unit.active);
    else if (!listening_has(listening, config_egress_port(sandbox)))
        ret->state = strdup("not on its port");
    else if (!is_published(sandbox))
        ret->state = strdup("not trusted");
    else {
        ret->up = true;
        ret->state = strdup(unit.sub);
    }
    return ret->state ? 0 : -ENOMEM;
}

void proxies_free(struct proxy_state *states, size_t n)
{
    for (size_t i = 0; states && i < n; i++)
        free(states[i].state);
    free(states);
}

int proxies_gather(sd_bus *bus, const struct config *config, struct proxy_state **ret)
{
    struct proxy_state *states = calloc(config->n_sandboxes + 1, sizeof(*states));
    struct listening listening;
    int r = states ? 0 : -ENOMEM;

    if (listening_read(&listening) < 0)
        bus = NULL;
    for (size_t i = 0; r == 0 && i < config->n_sandboxes; i++) {
        if (config->sandboxes[i].egress.proxy)
            r = gather_one(bus, &config->sandboxes[i], &listening, &states[i]);
        else if (!(states[i].state = strdup("none")))
            r = -ENOMEM;
    }
    if (r < 0)
        proxies_free(states, config->n_sandboxes);
    else
        *ret = states;
    return r;
}

/* Which sandbox a socket unit of ours belongs to, if that is to have one. */
static bool is_wanted(const struct config *config, const char *unit)
{
    _cleanup_free_ char *name = strdup(unit + strlen(PROXY_PREFIX));
    char *end = name ? strrchr(name, '.') : NULL;

    if (!config || !end)
        return false;
    *end = '\0';
    const struct config_sandbox *sandbox = config_find_sandbox(config, name);
    return sandbox && sandbox->egress.proxy;
}

static int close_others(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    _cleanup_strv_ char **names = NULL;

    int r = manager_list_units(bus, PROXY_PREFIX "*.socket", &names);
    if (r < 0) {
        say_error(r, "cannot ask systemd for the sockets of the proxies");
        return r;
    }
    for (char **name = names; *name && r == 0; name++)
        if (!is_wanted(config, *name))
            r = exchange_run_unit(bus, "StopUnit", *name, "Closing proxies", config, signals);
    return r;
}

static int exchange_one(sd_bus *bus, const struct config *config,
                        const struct config_sandbox *sandbox, const struct proxy_state *state,
                        const sigset_t *signals)
{
    _cleanup_free_ char *socket = name_unit(sandbox, "socket"),
                        *service = name_unit(sandbox, "service");

    if (!socket || !service)
        return -ENOMEM;
    if (!state->up)
        return exchange_run_unit(bus, "RestartUnit", socket, "Opening proxies", config, signals);
    if (!manager_unit_is_active(bus, service))
        return 0;
    return exchange_run_unit(bus, "ReloadUnit", service, "Telling proxies their rules", config,
                             signals);
}

int proxies_exchange(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    struct proxy_state *states = NULL;

    int r = close_others(bus, config, signals);
    if (r < 0 || !config)
        return r;
    r = proxies_gather(bus, config, &states);
    for (size_t i = 0; i < config->n_sandboxes && r == 0; i++)
        if (config->sandboxes[i].egress.proxy)
            r = exchange_one(bus, config, &config->sandboxes[i], &states[i], signals);
    proxies_free(states, config->n_sandboxes);
    return r;
}

void proxies_fetch(sd_bus *bus)
{
    if (manager_start_unit(bus, "pam-sandbox-egress-feeds.service") < 0)
        fputs("Note: pam-sandbox-egress-feeds.service cannot be started; its timer will.\n",
              stderr);
}
