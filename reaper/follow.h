/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One sandbox user whom logind knows or who has a slice: from its sessions to their end. */

#include <stdint.h>
#include <sys/types.h>

/* How long the last session is over before the user's processes are killed: enough for the PAM
 * handler of the session to write its closing line, and for a session that follows at once, as one
 * step of a script follows the other, to find the user manager running. A second after the last
 * session everything must be gone. */
#define FOLLOW_GRACE_USEC 300000

/* How often to look while something is being awaited for which there is no event. */
#define FOLLOW_STEP_USEC 20000

/* How often logind is asked while an ending is under way: it may have been down, or somebody may
 * have started a unit of the user meanwhile. */
#define FOLLOW_ASK_USEC 1000000

/* After that long an ending is reported as stuck, and sessions are let in again. */
#define FOLLOW_ENDING_USEC 10000000

struct follow {
    uid_t uid;
    int gate;             /* shut while ending, else -1 */
    uint64_t quiet_since; /* CLOCK_MONOTONIC, microseconds; 0: there is a session */
    uint64_t asked;       /* logind, last, in this ending */
    uint64_t deadline;    /* of the ending; 0: none is under way */
};

enum follow_result {
    FOLLOW_SESSION, /* nothing to do before logind reports something */
    FOLLOW_WAIT,    /* call again at *wakeup */
    FOLLOW_FORGET,  /* call reap_forget(), then again at *wakeup */
    FOLLOW_GONE,    /* nothing is left */
};

/* Does what there is to do for the user at the time now. Reports on stderr what goes wrong, with a
 * priority as in sd-daemon(3), and tries again. */
enum follow_result follow_step(struct follow *follow, uint64_t now, uint64_t *wakeup);
