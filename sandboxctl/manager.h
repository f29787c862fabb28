/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The system's service manager, over its D-Bus interface, org.freedesktop.systemd1(5). Functions
 * return 0 or a negative errno; what systemd said is in the sd_bus_error, where one is asked for.
 */

#include "conf/cleanup.h"

#include <signal.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

struct manager_unit {
    char *load;            /* "loaded", "not-found", "masked", … */
    char *active;          /* "active", "failed", … */
    char *sub;             /* "exited", "running", … */
    char *result;          /* "success", "exit-code", …; "" for units that have none */
    uint64_t started_usec; /* realtime, when it last left "inactive" or "failed"; 0: never */
};

void manager_unit_done(struct manager_unit *unit);

#define _cleanup_bus_ _cleanup_(sd_bus_flush_close_unrefp)
#define _cleanup_bus_error_ _cleanup_(sd_bus_error_free)
#define _cleanup_unit_ _cleanup_(manager_unit_done)

/* Root speaks with systemd itself, so that a host whose message bus is down can be mended; others
 * go through the bus. */
int manager_open(sd_bus **ret);

/* Asks for the state of a unit, which need not be loaded. All strings are set on success. */
int manager_get_unit(sd_bus *bus, const char *name, struct manager_unit *ret);

bool manager_unit_is_active(sd_bus *bus, const char *name);

/* Which of the units are active, as a vector of their names; NULL: none. */
int manager_list_active(sd_bus *bus, char *const *names, char ***ret);

/* Units that are loaded and whose name matches the pattern, glob(7), as a vector of their names. */
int manager_list_units(sd_bus *bus, const char *pattern, char ***ret);

/* systemctl daemon-reload. */
int manager_reload(sd_bus *bus, sd_bus_error *error);

/* Has a unit started, and does not wait for it. */
int manager_start_unit(sd_bus *bus, const char *name);

/* Starts a unit ("StartUnit"), or restarts, reloads or stops it, whatever its start limit says, and
 * waits until that has ended, saying what it is at. Returns 0 when the job was done, -EIO when it
 * ended otherwise and *result is what systemd calls that ("failed", "dependency", "timeout", …),
 * another negative errno when it could not be asked for. -EINTR: one of the signals came, which the
 * caller has blocked; NULL: none is looked at. */
int manager_run_unit(sd_bus *bus, const char *method, const char *name, const char *what,
                     const sigset_t *signals, sd_bus_error *error, char **result);
