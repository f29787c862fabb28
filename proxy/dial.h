/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From an identity to a connected socket.
 *
 * Promises: nothing is looked up twice; every address that the name has is judged before the first
 * is tried, and one that is refused refuses them all, so that a name cannot be made to lead inside
 * by its second answer; what is dialled is an address that was judged. */

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "proxy/host.h"
#include "proxy/resolve.h"

struct dialler {
    sd_event *event;
    struct resolver *resolver;
    int route; /* route_open() */
};

enum dial_result {
    DIAL_CONNECTED,
    DIAL_UNRESOLVED,
    DIAL_REFUSED, /* by address */
    DIAL_FAILED,
    DIAL_TIMED_OUT,
};

#define DIAL_DETAIL_SIZE 160

struct dial;

/* On DIAL_CONNECTED fd is the callee's; otherwise detail says why, in one line of ASCII. The dial
 * is gone when this is called. */
typedef void (*dial_done_t)(void *userdata, enum dial_result result, int fd, const char *detail);

/* done is called from the event loop, or before this returns; *ret is NULL then. */
int dial_start(const struct dialler *dialler, const struct identity *target, dial_done_t done,
               void *userdata, struct dial **ret);
void dial_cancel(struct dial *dial);
