/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Ending what a sandbox left: the steps, used by the reaper one at a time and by `sandboxctl reap`
 * all at once. For root. All return a negative errno on failure. */

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>

/* Ends all that runs in the sessions and the user manager of uid, makes logind forget the user, and
 * waits up to timeout_msec until nothing of it is left. No session of the user can begin meanwhile.
 * With force also sessions that are in use; without it these are left alone and -EBUSY says so. 0
 * also when there was nothing; -ETIMEDOUT when something did not end in time. */
int reap_user(uid_t uid, bool force, unsigned timeout_msec);

/* Whether uid has a session: 1 when there is one that logind is not closing, other than its user
 * manager's own; 0 otherwise. */
int reap_has_session(uid_t uid);

/* Kills what runs in the slice of uid, but for the service that removes its runtime directory,
 * which is systemd's own and has to do its work yet. Returns 1 when something was running, and may
 * take a moment to be gone; 0 when nothing was. */
int reap_kill(uid_t uid);

/* Asks logind to close what sessions the user has and to stop its units at once, rather than after
 * UserStopDelaySec= (logind.conf(5)): the runtime directory goes, and the next session gets a user
 * manager of its own. */
int reap_forget(sd_bus *bus, uid_t uid);

/* Whether the user's slice is gone, and with it every unit in it and what these had to clean up:
 * 1 or 0. (What logind says of the user is of no use: it goes on saying "closing" until
 * UserStopDelaySec= is over, when there is nothing to close any more.) */
int reap_is_gone(uid_t uid);
