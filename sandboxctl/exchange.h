/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The one way in which a running system's policy is exchanged: sessions are held off, the snapshot
 * and the users are written, systemd's units follow, the firewall's table and the kernel policy are
 * exchanged, the proxies follow, and the PAM stacks are proven. */

#include "conf/config.h"

#include <signal.h>
#include <systemd/sd-bus.h>

/* Puts config in force, or nothing for NULL. The caller holds the policy lock exclusively and runs
 * as root; until this returns 0, no session opens. Returns 0 or a negative errno, after it printed
 * what failed; -EINTR: one of signals, which the caller has blocked, came while there was something
 * to wait for. NULL: it goes through, whatever comes. */
int exchange_policy(sd_bus *bus, const struct config *config, const sigset_t *signals);

/* Starts ("StartUnit") the unit of a layer or of a proxy, or restarts, reloads or stops it, and
 * waits for it, showing what meanwhile; a failure is printed with what the unit itself said, and
 * those that it stands on in config. Signals and result as above. */
int exchange_run_unit(sd_bus *bus, const char *method, const char *unit, const char *what,
                      const struct config *config, const sigset_t *signals);
