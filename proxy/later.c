/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/later.h"

#include <stddef.h>

/* Those that are queued meanwhile wait for the next round, with what the kernel has to tell in
 * between. */
static int on_defer(sd_event_source *source, void *userdata)
{
    struct later_queue *queue = userdata;
    struct later *later = queue->first;

    (void)source;
    queue->first = NULL;
    queue->last = &queue->first;
    while (later) {
        struct later *next = later->next;

        later->queued = false;
        later->call(later);
        later = next;
    }
    return 0;
}

int later_init(struct later_queue *queue, sd_event *event)
{
    queue->first = NULL;
    queue->last = &queue->first;
    int r = sd_event_add_defer(event, &queue->source, on_defer, queue);
    if (r < 0)
        return r;
    return sd_event_source_set_enabled(queue->source, SD_EVENT_OFF);
}

void later_queue(struct later_queue *queue, struct later *later)
{
    if (later->queued)
        return;
    if (!queue->first)
        sd_event_source_set_enabled(queue->source, SD_EVENT_ONESHOT);
    later->queued = true;
    later->next = NULL;
    *queue->last = later;
    queue->last = &later->next;
}
