/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Deadlines of connections. Each kind has one duration, so those of a kind expire in the order in
 * which they were set: arming is moving to the end of a list, and one timer of the event loop
 * serves ten thousand connections. Late by up to a quarter of a second, never early. */

#include <stdint.h>
#include <systemd/sd-event.h>

enum timer_kind {
    TIMER_FIRST_BYTE, /* from accept, or 200 to CONNECT, to the client's first byte */
    TIMER_HANDSHAKE,  /* TLS with the client */
    TIMER_HEAD,       /* from a request's first byte to the end of its head */
    TIMER_IDLE,       /* between two requests */
    TIMER_STALL,      /* a body of which nothing moves, in either direction; and an answer */
    TIMER_LINGER,     /* after the last answer, until the client closes */
    TIMER_DIAL,       /* to an origin: look-up, connection, TLS */
    TIMER_POOL,       /* an idle connection to an origin */
    N_TIMER_KINDS,
};

/* Seconds. Apart from each other, since a short limit for heads must not break a slow upload. */
extern const unsigned timer_seconds[N_TIMER_KINDS];

struct timer {
    struct timer *next, *previous; /* NULL: not armed */
    uint64_t deadline;             /* CLOCK_MONOTONIC, microseconds */
    enum timer_kind kind;
    void (*expired)(struct timer *timer);
};

struct timers {
    sd_event *event;
    sd_event_source *source;
    struct timer lists[N_TIMER_KINDS]; /* heads of rings */
    uint64_t wakeup;
};

int timers_init(struct timers *timers, sd_event *event);

/* Again replaces what was set before. expired is the owner's, set once; it is called with the timer
 * disarmed. */
void timer_arm(struct timers *timers, struct timer *timer, enum timer_kind kind);
void timer_disarm(struct timer *timer);
