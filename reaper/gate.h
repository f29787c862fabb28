/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The gate of a sandbox: its sessions go through while they are being opened, the reaper shuts it
 * while it ends what the last one left. So neither does the reaper kill a session that has just
 * begun, nor does a session begin in a user manager and temporary directories that are about to go.
 *
 * A lock on a file each (flock(2)), shared for the first and exclusive for the other; closing the
 * descriptor lets go, as does the death of the process. libc only: the PAM module uses it.
 *
 * Why that is enough: logind answers pam_systemd only when the session's scope runs and the session
 * stands in /run/systemd/users/UID. Who enters the gate before pam_systemd is asked (the account
 * phase) and leaves after it (the end of the session phase) is therefore either seen in the gate or
 * seen in that file, at every moment. */

#include <sys/types.h>

#include "conf/paths.h"

#define GATE_DIR RUN_DIR "/gate"

/* Enters the gate of uid, waiting at most timeout_msec for a reaper to be done; 0 does not wait.
 * Returns a descriptor to close when the session stands, -ETIMEDOUT, or another negative errno. */
int gate_enter(uid_t uid, unsigned timeout_msec);

/* Shuts the gate of uid; otherwise likewise, -ETIMEDOUT meaning that somebody is in it. */
int gate_shut(uid_t uid, unsigned timeout_msec);

/* Takes the file of a sandbox away that is no longer configured. Nobody may be about to enter. */
int gate_remove(uid_t uid);
