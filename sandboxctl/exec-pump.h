/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Copies bytes between what the caller has and what may be passed to a session, in a thread for
 * each direction: whatever the two ends are, and whichever of them blocks. */

#include <pthread.h>
#include <stdbool.h>

struct pump {
    int from;
    int to;          /* closed when from has come to its end, or nobody reads it any more */
    bool close_from; /* likewise: who writes there learns that nobody reads */
    int over; /* eventfd(2): when it is readable, what is there yet is copied and then it ends;
               * -1: never */
    pthread_t thread;
};

/* Other descriptors stay the caller's. *pump must stay where it is. Returns 0 or a negative
 * errno. */
int pump_start(struct pump *pump);
