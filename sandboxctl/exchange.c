/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/exchange.h"

#include "conf/paths.h"
#include "conf/snapshot.h"
#include "lock/lock.h"
#include "nss/users.h"
#include "sandboxctl/journal.h"
#include "sandboxctl/layers.h"
#include "sandboxctl/manager.h"
#include "sandboxctl/proxies.h"
#include "sandboxctl/say.h"
#include "sandboxctl/timing.h"

#include <string.h>
#include <time.h>

#define POLKIT_UNIT "polkit.service"

static int write_files(const struct config *config)
{
    /* From here on nobody is let in, whatever happens to us. */
    int r = snapshot_clear_ready("");
    if (r < 0) {
        say_error(r, "cannot remove " READY_FILE);
        return r;
    }

    timing_stage("Taking the snapshot");
    say_progress("Taking the snapshot…");
    r = config ? snapshot_write("", config) : snapshot_remove("");
    say_progress_end();
    if (r < 0) {
        say_error(r, "cannot write the snapshot, " SNAPSHOT_FILE);
        return r;
    }

    r = config ? lock_write("", config, say_message, NULL) : lock_remove("");
    if (r < 0) {
        say_error(r, "cannot write who is locked, " LOCK_USER_FILE " and what belongs to it");
        return r;
    }

    timing_stage("Writing the users");
    say_progress("Writing the users…");
    r = config ? users_write("", config, say_message, NULL) : users_remove("");
    say_progress_end();
    if (r < 0)
        say_error(r, "cannot write the users, " NSS_PASSWD_FILE " and what belongs to it");
    return r;
}

static uint64_t now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static const char *verb_of(const char *method)
{
    return strcmp(method, "ReloadUnit") == 0 ? "reload"
           : strcmp(method, "StopUnit") == 0 ? "stop"
                                             : "start";
}

static void say_failed(sd_bus *bus, const char *method, const char *unit, const char *result,
                       const struct config *config, uint64_t begin)
{
    const struct layer proxy = { .unit = unit, .program = "egress-ca", .is_socket = true };

    say_error(0, "%s did not %s (%s):", unit, verb_of(method), result);
    journal_print_layer(layer_of_unit(unit) ?: &proxy, begin);
    if (strcmp(result, "dependency") != 0)
        return;
    for (const struct layer *layer = layers; layer->name; layer++) {
        if (strcmp(layer->unit, unit) == 0 || layer->is_aside || !layer_is_on(layer, config) ||
            manager_unit_is_active(bus, layer->unit))
            continue;
        say_error(0, "%s, which it stands on, is not up:", layer->unit);
        journal_print_layer(layer, begin);
    }
}

int exchange_run_unit(sd_bus *bus, const char *method, const char *unit, const char *what,
                      const struct config *config, const sigset_t *signals)
{
    _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
    _cleanup_free_ char *result = NULL;
    uint64_t begin = now_usec();

    timing_stage("%s", what);
    int r = manager_run_unit(bus, method, unit, what, signals, &error, &result);
    if (r == 0 || r == -EINTR)
        return r;
    if (result)
        say_failed(bus, method, unit, result, config, begin);
    else if (error.message)
        say_error(0, "cannot %s %s: %s", verb_of(method), unit, error.message);
    else
        say_error(r, "cannot %s %s", verb_of(method), unit);
    return r;
}

/* Where it is up, the new policy takes the old one's place without a moment between. Where it is
 * down, READY_UNIT brings it up. In between, somebody else is at it, perhaps with the snapshot that
 * was there before. Where it is not wanted any more, a failure is forgotten, too. */
static int exchange_kernel_policy(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    _cleanup_unit_ struct manager_unit unit = {};
    const bool on = config && layer_is_on(layer_of_unit(LSM_UNIT), config);
    const char *method = "RestartUnit", *what = "Loading the kernel policy";

    int r = manager_get_unit(bus, LSM_UNIT, &unit);
    if (r < 0) {
        say_error(r, "cannot ask systemd for the state of %s", LSM_UNIT);
        return r;
    }
    if (strcmp(unit.active, "inactive") == 0 || (on && strcmp(unit.active, "failed") == 0))
        return 0;
    if (!on) {
        method = "StopUnit";
        what = "Taking the kernel policy away";
    } else if (strcmp(unit.active, "active") == 0 || strcmp(unit.active, "reloading") == 0) {
        method = "ReloadUnit";
        what = "Exchanging the kernel policy";
    }
    return exchange_run_unit(bus, method, LSM_UNIT, what, config, signals);
}

static int prove(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    char digest[SNAPSHOT_DIGEST_SIZE];

    int r = exchange_run_unit(bus, "RestartUnit", READY_UNIT, "Proving the PAM stacks", config,
                              signals);
    if (r < 0)
        return r;

    /* What sessions will ask is the file, not the unit. */
    r = snapshot_ready("", digest);
    if (r < 0)
        say_error(r,
                  "%s ended well, but " READY_FILE " does not name what is in force; look at"
                  " its unit file for an edit",
                  READY_UNIT);
    if (r == 0 && layer_is_on(layer_of_unit(LSM_UNIT), config) &&
        !manager_unit_is_active(bus, LSM_UNIT)) {
        r = -EIO;
        (void)snapshot_clear_ready("");
        say_error(0,
                  "%s ended well, but does not depend on %s: pam-sandbox-generator failed, the"
                  " kernel's log says why",
                  READY_UNIT, LSM_UNIT);
    }
    return r;
}

/* Where it is up, the new table takes the old one's place. Where it is down, READY_UNIT brings it
 * up. */
static int exchange_table(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    if (!manager_unit_is_active(bus, FIREWALL_UNIT))
        return 0;
    return exchange_run_unit(bus, "ReloadUnit", FIREWALL_UNIT, "Exchanging the firewall's table",
                             config, signals);
}

/* polkit keeps for some minutes what somebody was granted after a password (polkit(8),
 * auth_admin_keep) and asks no rule then. A new one has forgotten, and has read the rules. */
static int exchange_polkit(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    if (!manager_unit_is_active(bus, POLKIT_UNIT))
        return 0;
    return exchange_run_unit(bus, "RestartUnit", POLKIT_UNIT, "Restarting polkit", config, signals);
}

int exchange_policy(sd_bus *bus, const struct config *config, const sigset_t *signals)
{
    _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;

    const bool was_locked = access(LOCK_USER_FILE, F_OK) == 0;
    int r = write_files(config);
    if (r == 0 && (was_locked || (config && config->host.lock_user)))
        r = exchange_polkit(bus, config, signals);
    if (r < 0)
        return r;

    timing_stage("Generating the units");
    say_progress("Generating the units…");
    r = manager_reload(bus, &error);
    say_progress_end();
    if (r < 0) {
        say_error(0, "systemd cannot reload its units: %s", error.message ?: strerror(-r));
        return r;
    }
    if (config) {
        r = exchange_table(bus, config, signals);
        if (r < 0)
            return r;
    }
    r = exchange_kernel_policy(bus, config, signals);
    if (r == 0)
        r = proxies_exchange(bus, config, signals);
    if (r < 0 || !config)
        return r;
    return prove(bus, config, signals);
}
