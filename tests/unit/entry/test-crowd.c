/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* That nobody takes everybody's place. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "entry/crowd.h"

static void fill(struct crowd *crowd, uid_t uid, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(crowd_enter(crowd, uid), 0);
    assert_int_equal(crowd_enter(crowd, uid), -EUSERS);
}

static void test_one_is_limited(void **state)
{
    struct crowd crowd = { 0 };

    (void)state;
    fill(&crowd, 1000, CROWD_USER_MAX);
    assert_int_equal(crowd_enter(&crowd, 1001), 0);
    crowd_leave(&crowd, 1000);
    assert_int_equal(crowd_enter(&crowd, 1000), 0);
    assert_int_equal(crowd_enter(&crowd, 1000), -EUSERS);
    crowd_done(&crowd);
}

static void test_all_are_limited_but_root(void **state)
{
    struct crowd crowd = { 0 };
    uid_t uid = 1000;

    (void)state;
    for (; (uid - 1000 + 1) * CROWD_USER_MAX <= CROWD_ALL_MAX; uid++)
        fill(&crowd, uid, CROWD_USER_MAX);
    assert_int_equal(crowd_enter(&crowd, uid), -EUSERS);
    fill(&crowd, 0, CROWD_ROOT_MAX);
    crowd_leave(&crowd, 1000);
    assert_int_equal(crowd_enter(&crowd, uid), 0);
    crowd_done(&crowd);
}

static void test_who_is_gone_is_forgotten(void **state)
{
    struct crowd crowd = { 0 };

    (void)state;
    for (uid_t uid = 1; uid < 5000; uid++) {
        assert_int_equal(crowd_enter(&crowd, uid), 0);
        crowd_leave(&crowd, uid);
    }
    assert_int_equal(crowd.n_users, 0);
    assert_int_equal(crowd.all, 0);
    crowd_leave(&crowd, 1);
    assert_int_equal(crowd.all, 0);
    crowd_done(&crowd);
}

static size_t open_all(struct crowd *crowd, uid_t uid)
{
    size_t n = 0;

    assert_int_equal(crowd_enter(crowd, uid), 0);
    while (crowd_open_session(crowd, uid) == 0)
        n++;
    return n;
}

static void test_sessions(void **state)
{
    struct crowd crowd = { 0 };

    (void)state;
    assert_int_equal(crowd_open_session(&crowd, 1000), -EUSERS); /* without a connection */
    assert_int_equal(open_all(&crowd, 1000), CROWD_USER_SESSIONS_MAX);
    assert_int_equal(open_all(&crowd, 1001), CROWD_OTHERS_SESSIONS_MAX - CROWD_USER_SESSIONS_MAX);
    assert_int_equal(open_all(&crowd, 0), CROWD_SESSIONS_MAX - CROWD_OTHERS_SESSIONS_MAX);
    crowd_close_session(&crowd, 1000);
    assert_int_equal(crowd_open_session(&crowd, 0), 0);
    assert_int_equal(crowd_open_session(&crowd, 0), -EUSERS);
    crowd_close_session(&crowd, 0);
    assert_int_equal(crowd_open_session(&crowd, 1001), 0);
    crowd_done(&crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_limited),
        cmocka_unit_test(test_all_are_limited_but_root),
        cmocka_unit_test(test_who_is_gone_is_forgotten),
        cmocka_unit_test(test_sessions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
