/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of things for one user, in a made-up time: the steps themselves are replaced by the
 * linker (--wrap) with ones that only say that they were taken. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "reaper/follow.h"
#include "reaper/gate.h"
#include "reaper/reap.h"

#define T0 1000000000ULL

/* The world as the steps find it, and what they did to it. */
static struct {
    int has_session;
    int is_gone;
    int gate; /* 0: free, else the error */
    int kills;
    int gate_fd;
    int session_after_gate; /* one that came in while the gate was being shut */
} world;

int __wrap_reap_has_session(uid_t uid);
int __wrap_reap_kill(uid_t uid);
int __wrap_reap_is_gone(uid_t uid);
int __wrap_gate_shut(uid_t uid, unsigned timeout_msec);

int __wrap_reap_has_session(uid_t uid)
{
    assert_int_equal(uid, 59000);
    return world.has_session;
}

int __wrap_reap_kill(uid_t uid)
{
    assert_int_equal(uid, 59000);
    world.kills++;
    return 1;
}

int __wrap_reap_is_gone(uid_t uid)
{
    assert_int_equal(uid, 59000);
    return world.is_gone;
}

int __wrap_gate_shut(uid_t uid, unsigned timeout_msec)
{
    assert_int_equal(uid, 59000);
    assert_int_equal(timeout_msec, 0);
    if (world.session_after_gate)
        world.has_session = 1;
    if (world.gate < 0)
        return world.gate;
    world.gate_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return world.gate_fd;
}

static bool gate_is_shut(void)
{
    return fcntl(world.gate_fd, F_GETFD) >= 0;
}

static struct follow follow;

static int set_up(void **state)
{
    (void)state;
    world = (typeof(world)){ .gate_fd = -1 };
    follow = (struct follow){ .uid = 59000, .gate = -1 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (follow.gate >= 0)
        close(follow.gate);
    return 0;
}

static enum follow_result step(uint64_t now, uint64_t *wakeup)
{
    *wakeup = 0;
    return follow_step(&follow, now, wakeup);
}

static void test_session_is_left_alone(void **state)
{
    uint64_t wakeup;

    (void)state;
    world.has_session = 1;
    assert_int_equal(step(T0, &wakeup), FOLLOW_SESSION);
    assert_int_equal(step(T0 + 3600000000ULL, &wakeup), FOLLOW_SESSION);
    assert_int_equal(world.kills, 0);
}

static void test_grace(void **state)
{
    uint64_t wakeup;

    (void)state;
    assert_int_equal(step(T0, &wakeup), FOLLOW_WAIT);
    assert_int_equal(wakeup, T0 + FOLLOW_GRACE_USEC);
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC - 1, &wakeup), FOLLOW_WAIT);
    assert_int_equal(world.kills, 0);
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_FORGET);
    assert_int_equal(world.kills, 1);
    assert_true(gate_is_shut());
}

static void test_grace_begins_anew_after_a_session(void **state)
{
    uint64_t wakeup;

    (void)state;
    assert_int_equal(step(T0, &wakeup), FOLLOW_WAIT);
    world.has_session = 1;
    assert_int_equal(step(T0 + 1000, &wakeup), FOLLOW_SESSION);
    world.has_session = 0;
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_WAIT);
    assert_int_equal(wakeup, T0 + 2 * FOLLOW_GRACE_USEC);
    assert_int_equal(world.kills, 0);
}

static void test_kills_until_gone(void **state)
{
    uint64_t wakeup;

    (void)state;
    step(T0, &wakeup);
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_FORGET);
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_WAIT);
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_WAIT);
    assert_int_equal(world.kills, 3);
    assert_true(gate_is_shut());
    world.is_gone = 1;
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_GONE);
    assert_false(gate_is_shut());
    assert_int_equal(world.kills, 3);
}

/* What is in the gate is not in logind's file yet, and must not be killed. */
static void test_session_in_the_gate(void **state)
{
    uint64_t wakeup;

    (void)state;
    step(T0, &wakeup);
    world.gate = -ETIMEDOUT;
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_WAIT);
    assert_true(wakeup > T0 + FOLLOW_GRACE_USEC);
    assert_int_equal(world.kills, 0);
}

/* What has left the gate a moment before it was shut is in logind's file. */
static void test_session_just_before_the_gate_shut(void **state)
{
    uint64_t wakeup;

    (void)state;
    step(T0, &wakeup);
    world.session_after_gate = 1;
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_SESSION);
    assert_int_equal(world.kills, 0);
    assert_false(gate_is_shut());
}

/* A lock that cannot be had must not keep processes alive. */
static void test_broken_gate(void **state)
{
    uint64_t wakeup;

    (void)state;
    step(T0, &wakeup);
    world.gate = -EROFS;
    assert_int_equal(step(T0 + FOLLOW_GRACE_USEC, &wakeup), FOLLOW_FORGET);
    assert_int_equal(world.kills, 1);
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_WAIT);
    assert_int_equal(world.kills, 2);
}

static void test_session_past_the_gate(void **state)
{
    uint64_t wakeup;

    (void)state;
    step(T0, &wakeup);
    step(T0 + FOLLOW_GRACE_USEC, &wakeup);
    world.has_session = 1;
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_SESSION);
    assert_int_equal(world.kills, 1);
    assert_false(gate_is_shut());
}

static void test_stuck(void **state)
{
    uint64_t wakeup, end = T0 + FOLLOW_GRACE_USEC + FOLLOW_ENDING_USEC;

    (void)state;
    step(T0, &wakeup);
    step(T0 + FOLLOW_GRACE_USEC, &wakeup);
    assert_int_equal(step(end - 1, &wakeup), FOLLOW_FORGET);
    assert_true(gate_is_shut());
    assert_int_equal(step(end, &wakeup), FOLLOW_WAIT);
    assert_false(gate_is_shut());
    /* and again, from the start */
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_FORGET);
    assert_true(gate_is_shut());
}

/* Whoever starts a unit of the user in the middle of it delays the end and does not prevent it. */
static void test_asks_again(void **state)
{
    uint64_t wakeup, begin = T0 + FOLLOW_GRACE_USEC;

    (void)state;
    step(T0, &wakeup);
    assert_int_equal(step(begin, &wakeup), FOLLOW_FORGET);
    assert_int_equal(step(begin + FOLLOW_ASK_USEC - 1, &wakeup), FOLLOW_WAIT);
    assert_int_equal(step(begin + FOLLOW_ASK_USEC, &wakeup), FOLLOW_FORGET);
    assert_int_equal(wakeup, begin + FOLLOW_ASK_USEC + FOLLOW_STEP_USEC);
    assert_int_equal(step(wakeup, &wakeup), FOLLOW_WAIT);
}

static void test_nothing_there(void **state)
{
    uint64_t wakeup;

    (void)state;
    world.is_gone = 1;
    assert_int_equal(step(T0, &wakeup), FOLLOW_GONE);
    assert_int_equal(world.kills, 0);
}

/* Not knowing is no reason to kill, nor to look away for good. */
static void test_unknown(void **state)
{
    uint64_t wakeup;

    (void)state;
    world.has_session = -EIO;
    assert_int_equal(step(T0, &wakeup), FOLLOW_WAIT);
    assert_true(wakeup > T0);
    assert_int_equal(world.kills, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_session_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grace_begins_anew_after_a_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kills_until_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_in_the_gate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_just_before_the_gate_shut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_gate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_past_the_gate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stuck, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asks_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
