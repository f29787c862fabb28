/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Deadlines against a clock of the test's own: what sd-event would do is replaced by the linker's
 * --wrap. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proxy/timers.h"

#define SECOND UINT64_C(1000000)

static uint64_t now = 1000 * SECOND;
static sd_event_time_handler_t handler;
static void *handler_data;
static uint64_t wakeup;
static int enabled;

int __wrap_sd_event_now(sd_event *event, clockid_t clock, uint64_t *ret);
int __wrap_sd_event_now(sd_event *event, clockid_t clock, uint64_t *ret)
{
    (void)event;
    (void)clock;
    *ret = now;
    return 0;
}

int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock, uint64_t usec,
                             uint64_t accuracy, sd_event_time_handler_t callback, void *userdata);
int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock, uint64_t usec,
                             uint64_t accuracy, sd_event_time_handler_t callback, void *userdata)
{
    (void)event;
    (void)ret;
    (void)clock;
    (void)usec;
    (void)accuracy;
    handler = callback;
    handler_data = userdata;
    return 0;
}

int __wrap_sd_event_source_set_time(sd_event_source *source, uint64_t usec);
int __wrap_sd_event_source_set_time(sd_event_source *source, uint64_t usec)
{
    (void)source;
    wakeup = usec;
    return 0;
}

int __wrap_sd_event_source_set_enabled(sd_event_source *source, int value);
int __wrap_sd_event_source_set_enabled(sd_event_source *source, int value)
{
    (void)source;
    enabled = value;
    return 0;
}

int __wrap_sd_event_source_set_exit_on_failure(sd_event_source *source, int value);
int __wrap_sd_event_source_set_exit_on_failure(sd_event_source *source, int value)
{
    (void)source;
    (void)value;
    return 0;
}

static struct timers timers;
static struct timer a, b, c;
static char expired[16];

static void on_expired(struct timer *timer)
{
    const char name[] = { timer == &a ? 'a' : timer == &b ? 'b' : 'c', '\0' };

    assert_null(timer->next);
    strcat(expired, name);
}

static void on_expired_again(struct timer *timer)
{
    on_expired(timer);
    timer_arm(&timers, timer, TIMER_LINGER);
}

static int setup(void **state)
{
    (void)state;
    a = b = c = (struct timer){ .expired = on_expired };
    expired[0] = '\0';
    return timers_init(&timers, NULL);
}

/* As the event loop would: when it is time, and not without being asked. */
static void advance(unsigned seconds)
{
    now += seconds * SECOND;
    while (enabled == SD_EVENT_ONESHOT && wakeup <= now) {
        enabled = SD_EVENT_OFF;
        assert_int_equal(handler(NULL, now, handler_data), 0);
    }
}

static void expect(const char *names)
{
    assert_string_equal(expired, names);
    expired[0] = '\0';
}

static void in_order(void **state)
{
    (void)state;
    timer_arm(&timers, &a, TIMER_DIAL);
    timer_arm(&timers, &b, TIMER_LINGER);
    advance(1);
    timer_arm(&timers, &c, TIMER_LINGER);
    advance(timer_seconds[TIMER_LINGER] - 2);
    expect("");
    advance(1);
    expect("b");
    advance(1);
    expect("c");
    advance(timer_seconds[TIMER_DIAL] - timer_seconds[TIMER_LINGER] - 2);
    expect("");
    advance(1);
    expect("a");
    assert_int_equal(enabled, SD_EVENT_OFF);
}

static void again_replaces(void **state)
{
    (void)state;
    timer_arm(&timers, &a, TIMER_LINGER);
    timer_arm(&timers, &b, TIMER_LINGER);
    advance(timer_seconds[TIMER_LINGER] - 1);
    timer_arm(&timers, &a, TIMER_LINGER);
    advance(1);
    expect("b");
    timer_arm(&timers, &a, TIMER_DIAL);
    advance(timer_seconds[TIMER_DIAL] - 1);
    expect("");
    advance(1);
    expect("a");
}

static void disarmed(void **state)
{
    (void)state;
    timer_arm(&timers, &a, TIMER_LINGER);
    timer_arm(&timers, &b, TIMER_LINGER);
    timer_disarm(&a);
    timer_disarm(&a);
    advance(timer_seconds[TIMER_LINGER]);
    expect("b");
}

/* What expires may arm itself, which must not go on for ever. */
static void from_within(void **state)
{
    (void)state;
    a.expired = on_expired_again;
    timer_arm(&timers, &a, TIMER_LINGER);
    advance(timer_seconds[TIMER_LINGER]);
    expect("a");
    advance(timer_seconds[TIMER_LINGER] - 1);
    expect("");
    advance(1);
    expect("a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(in_order, setup),
        cmocka_unit_test_setup(again_replaces, setup),
        cmocka_unit_test_setup(disarmed, setup),
        cmocka_unit_test_setup(from_within, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
