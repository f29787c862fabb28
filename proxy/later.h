/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is to be done once the current event is dealt with: connections wake each other up, and are
 * freed, by this and never by a call into one another, so that no function finds its own connection
 * changed under it. */

#include <stdbool.h>
#include <systemd/sd-event.h>

struct later {
    struct later *next;
    bool queued;
    void (*call)(struct later *later);
};

struct later_queue {
    sd_event_source *source;
    struct later *first, **last;
};

int later_init(struct later_queue *queue, sd_event *event);

/* Once, however often it is asked for before that. */
void later_queue(struct later_queue *queue, struct later *later);
