/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reaper/follow.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "reaper/gate.h"
#include "reaper/reap.h"

static void open_gate(struct follow *follow)
{
    if (follow->gate >= 0)
        close(follow->gate);
    follow->gate = -1;
}

static void kill_all(const struct follow *follow)
{
    int r = reap_kill(follow->uid);
    if (r < 0)
        fprintf(stderr, SD_ERR "cannot kill what runs in user-%u.slice: %s\n",
                (unsigned)follow->uid, strerror(-r));
}

static bool is_gone(const struct follow *follow)
{
    int r = reap_is_gone(follow->uid);
    if (r < 0)
        fprintf(stderr, SD_ERR "cannot see whether user-%u.slice is there: %s\n",
                (unsigned)follow->uid, strerror(-r));
    return r > 0;
}

static enum follow_result wait_for(uint64_t when, uint64_t *wakeup)
{
    *wakeup = when;
    return FOLLOW_WAIT;
}

/* The gate is shut, and what was running has been killed: wait for the rest, and kill again what
 * took part in no kill so far. */
static enum follow_result go_on_ending(struct follow *follow, uint64_t now, uint64_t *wakeup)
{
    if (is_gone(follow)) {
        open_gate(follow);
        return FOLLOW_GONE;
    }
    if (now >= follow->deadline) {
        fprintf(stderr,
                SD_ERR "uid %u: something of its sessions does not end; see `systemctl status "
                       "user-%u.slice`. Trying again\n",
                (unsigned)follow->uid, (unsigned)follow->uid);
        open_gate(follow);
        follow->deadline = 0;
        follow->quiet_since = now;
        return wait_for(now + FOLLOW_GRACE_USEC, wakeup);
    }
    kill_all(follow);
    wait_for(now + FOLLOW_STEP_USEC, wakeup);
    if (now < follow->asked + FOLLOW_ASK_USEC)
        return FOLLOW_WAIT;
    follow->asked = now;
    return FOLLOW_FORGET;
}

static enum follow_result begin_ending(struct follow *follow, uint64_t now, uint64_t *wakeup)
{
    int gate = gate_shut(follow->uid, 0);
    if (gate == -ETIMEDOUT) /* a session is on its way in */
        return wait_for(now + FOLLOW_STEP_USEC, wakeup);
    /* Without the gate the worst is a session that does not come up; with processes left alive the
     * next one would be at their mercy. */
    if (gate < 0)
        fprintf(stderr, SD_ERR "%s/%u: cannot lock: %s\n", GATE_DIR, (unsigned)follow->uid,
                strerror(-gate));

    /* What went in since the last look is in now. */
    if (reap_has_session(follow->uid) > 0) {
        if (gate >= 0)
            close(gate);
        follow->quiet_since = 0;
        return FOLLOW_SESSION;
    }

    follow->gate = gate;
    follow->asked = now;
    follow->deadline = now + FOLLOW_ENDING_USEC;
    kill_all(follow);
    *wakeup = now + FOLLOW_STEP_USEC;
    return FOLLOW_FORGET;
}

enum follow_result follow_step(struct follow *follow, uint64_t now, uint64_t *wakeup)
{
    int r = reap_has_session(follow->uid);
    if (r < 0) {
        fprintf(stderr, SD_ERR "uid %u: cannot see its sessions: %s\n", (unsigned)follow->uid,
                strerror(-r));
        return wait_for(now + FOLLOW_GRACE_USEC, wakeup);
    }

    /* Also during an ending: somebody opened it past the gate, and a session is not killed. */
    if (r > 0) {
        open_gate(follow);
        follow->quiet_since = 0;
        follow->deadline = 0;
        return FOLLOW_SESSION;
    }

    if (follow->deadline > 0)
        return go_on_ending(follow, now, wakeup);
    if (is_gone(follow))
        return FOLLOW_GONE;
    if (follow->quiet_since == 0)
        follow->quiet_since = now;
    if (now < follow->quiet_since + FOLLOW_GRACE_USEC)
        return wait_for(follow->quiet_since + FOLLOW_GRACE_USEC, wakeup);
    return begin_ending(follow, now, wakeup);
}
