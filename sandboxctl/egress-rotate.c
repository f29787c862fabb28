/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/egress-rotate.h"

#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "sandboxctl/exchange.h"
#include "sandboxctl/manager.h"
#include "sandboxctl/proxies.h"
#include "sandboxctl/say.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define LOCK_MSEC 120000

/* egress-ca, which says itself what fails. */
static int run_ca(const char *sandbox, bool anew)
{
    _cleanup_free_ char *state = NULL, *public = NULL;
    char *argv[6] = { (char *)PKGLIBEXECDIR "/egress-ca" };
    size_t n = 1;
    pid_t pid;
    int status;

    if (asprintf(&state, EGRESS_STATE_DIR "/%s", sandbox) < 0 ||
        asprintf(&public, EGRESS_PUBLIC_DIR "/%s", sandbox) < 0)
        return -ENOMEM;
    if (anew)
        argv[n++] = (char *)"--anew";
    argv[n++] = (char *)sandbox;
    argv[n++] = state;
    argv[n++] = public;
    int r = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    if (r != 0)
        return say_error(r, "cannot run %s", argv[0]), -r;
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

/* The proxy publishes what trusts the new authority when it starts. One that does not run is not
 * started for that. */
static int rotate(sd_bus *bus, const struct config *config, const char *sandbox)
{
    _cleanup_free_ char *service = NULL;

    if (asprintf(&service, PROXY_PREFIX "%s.service", sandbox) < 0)
        return -ENOMEM;
    int r = run_ca(sandbox, true);
    if (r < 0)
        return r;
    if (manager_unit_is_active(bus, service))
        return exchange_run_unit(bus, "RestartUnit", service, "Starting proxies anew", config,
                                 NULL);
    return run_ca(sandbox, false);
}

static bool is_named(char *const *names, const char *name)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static int check_names(const struct config *config, char *const *names)
{
    for (; *names; names++) {
        const struct config_sandbox *sandbox = config_find_sandbox(config, *names);

        if (!sandbox)
            return say_error(0, "no sandbox \"%s\" is in force", *names), -ENOENT;
        if (!sandbox->egress.proxy)
            return say_error(0, "\"%s\" has no proxy", *names), -ENOENT;
    }
    return 0;
}

static int rotate_all(sd_bus *bus, const struct config *config, char *const *names)
{
    struct proxy_state *states = NULL;
    int status = 0;

    if (proxies_gather(bus, config, &states) < 0)
        return say_error(ENOMEM, "cannot look at the proxies");
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];

        if (!sandbox->egress.proxy || !is_named(names, sandbox->name))
            continue;
        if (!states[i].up)
            status = say_error(0, "the proxy of %s is not up (%s); sandboxctl apply", sandbox->name,
                               states[i].state);
        else if (rotate(bus, config, sandbox->name) < 0)
            status = say_error(0, "%s has no other authority", sandbox->name);
        else
            printf("%s has another authority. Open sessions trust the one before, and go on.\n",
                   sandbox->name);
        fflush(stdout);
    }
    proxies_free(states, config->n_sandboxes);
    return status;
}

int egress_rotate(char *const *names)
{
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_close_ int lock = -1;
    _cleanup_bus_ sd_bus *bus = NULL;

    if (geteuid() != 0)
        return say_error(0, "egress rotate-ca needs root");
    lock = snapshot_lock("", true, LOCK_MSEC);
    if (lock < 0)
        return say_error(lock, "cannot lock " POLICY_LOCK_FILE);
    int r = config_load_snapshot("", say_problem, NULL, &config);
    if (r == -ENOENT)
        return say_error(0, "nothing is in force");
    if (r < 0)
        return say_error(r, "cannot read what is in force");
    if (check_names(config, names) < 0)
        return EXIT_FAILURE;
    r = manager_open(&bus);
    if (r < 0)
        return say_error(r, "cannot speak with systemd");
    return rotate_all(bus, config, names);
}
