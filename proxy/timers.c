/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/timers.h"

#include <stdbool.h>
#include <time.h>

#define ACCURACY_USEC 250000
#define USEC_PER_SEC 1000000u

const unsigned timer_seconds[N_TIMER_KINDS] = {
    [TIMER_FIRST_BYTE] = 60,
    [TIMER_HANDSHAKE] = 30,
    [TIMER_HEAD] = 60,
    [TIMER_IDLE] = 300,
    /* A model that thinks, an archive that is being packed: minutes without a byte are normal. */
    [TIMER_STALL] = 900,
    [TIMER_LINGER] = 5,
    [TIMER_DIAL] = 20,
    /* Below what common servers allow (nginx 75 s, AWS 60 s), so that they rarely close first. */
    [TIMER_POOL] = 30,
};

static int schedule(struct timers *timers, uint64_t wakeup)
{
    timers->wakeup = wakeup;
    if (wakeup == UINT64_MAX)
        return sd_event_source_set_enabled(timers->source, SD_EVENT_OFF);
    int r = sd_event_source_set_time(timers->source, wakeup);
    return r < 0 ? r : sd_event_source_set_enabled(timers->source, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct timers *timers = userdata;
    uint64_t next = UINT64_MAX;

    (void)source;
    /* What expires may arm others: they are due later. */
    timers->wakeup = 0;
    for (size_t i = 0; i < N_TIMER_KINDS; i++) {
        struct timer *list = &timers->lists[i];

        while (list->next != list && list->next->deadline <= now) {
            struct timer *timer = list->next;

            timer_disarm(timer);
            timer->expired(timer);
        }
    }
    for (size_t i = 0; i < N_TIMER_KINDS; i++) {
        const struct timer *list = &timers->lists[i];

        if (list->next != list && list->next->deadline < next)
            next = list->next->deadline;
    }
    return schedule(timers, next);
}

int timers_init(struct timers *timers, sd_event *event)
{
    *timers = (struct timers){ .event = event, .wakeup = UINT64_MAX };
    for (size_t i = 0; i < N_TIMER_KINDS; i++)
        timers->lists[i].next = timers->lists[i].previous = &timers->lists[i];
    int r = sd_event_add_time(event, &timers->source, CLOCK_MONOTONIC, 0, ACCURACY_USEC, on_timer,
                              timers);
    if (r < 0)
        return r;
    r = sd_event_source_set_enabled(timers->source, SD_EVENT_OFF);
    if (r < 0)
        return r;
    return sd_event_source_set_exit_on_failure(timers->source, true);
}

void timer_disarm(struct timer *timer)
{
    if (!timer->next)
        return;
    timer->next->previous = timer->previous;
    timer->previous->next = timer->next;
    timer->next = timer->previous = NULL;
}

void timer_arm(struct timers *timers, struct timer *timer, enum timer_kind kind)
{
    struct timer *list = &timers->lists[kind];
    uint64_t now;

    sd_event_now(timers->event, CLOCK_MONOTONIC, &now);
    timer_disarm(timer);
    timer->kind = kind;
    timer->deadline = now + (uint64_t)timer_seconds[kind] * USEC_PER_SEC;
    timer->previous = list->previous;
    timer->next = list;
    list->previous->next = timer;
    list->previous = timer;
    /* If this fails, the next one that is armed tries again. */
    if (timer->deadline < timers->wakeup && schedule(timers, timer->deadline) < 0)
        timers->wakeup = UINT64_MAX;
}
