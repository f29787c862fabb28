/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a count is told, and which sandboxes are looked at for one. */
#include "bpf/denials-rates.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LATER (1000 + DENIAL_WINDOW_NSEC)

static void test_judge(void **state)
{
    const struct denial_rate flood = { .window_nsec = 1000, .reported = 50, .dropped = 9950 };
    const struct denial_rate few = { .window_nsec = 1000, .reported = 3 };
    const struct denial_rate none = { 0 };

    (void)state;
    /* In its window, whether there is a count already or not. */
    assert_int_equal(denials_rates_judge(&flood, LATER - 1), LOOK_AGAIN);
    assert_int_equal(denials_rates_judge(&few, LATER - 1), LOOK_AGAIN);
    assert_int_equal(denials_rates_judge(&flood, LATER), LOOK_TELL);
    assert_int_equal(denials_rates_judge(&few, LATER), LOOK_NOTHING);
    assert_int_equal(denials_rates_judge(&none, LATER), LOOK_NOTHING);
    assert_int_equal(denials_rates_judge(NULL, LATER), LOOK_NOTHING);
}

static __u32 seen[8];
static size_t n_seen;

/* Again for the odd ones. */
static int look(__u32 sandbox, void *userdata)
{
    (void)userdata;
    assert_in_range(n_seen, 0, 7);
    seen[n_seen++] = sandbox;
    return sandbox == 4 ? -EIO : (int)(sandbox % 2);
}

static void test_look(void **state)
{
    struct denials_rates rates = { 0 };

    (void)state;
    n_seen = 0;
    assert_int_equal(denials_rates_look(&rates, look, NULL), 0);
    assert_int_equal(n_seen, 0);

    for (int twice = 0; twice < 2; twice++)
        for (__u32 sandbox = 0; sandbox < 4; sandbox++)
            assert_int_equal(denials_rates_add(&rates, sandbox), 0);
    assert_int_equal(rates.n, 4);
    assert_int_equal(denials_rates_look(&rates, look, NULL), 0);
    assert_int_equal(n_seen, 4);
    n_seen = 0;
    assert_int_equal(denials_rates_look(&rates, look, NULL), 0);
    assert_int_equal(n_seen, 2);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 3);
    denials_rates_done(&rates);
}

static void test_error_forgets_nobody(void **state)
{
    struct denials_rates rates = { 0 };

    (void)state;
    n_seen = 0;
    for (__u32 sandbox = 2; sandbox < 8; sandbox++)
        assert_int_equal(denials_rates_add(&rates, sandbox), 0);
    assert_int_equal(denials_rates_look(&rates, look, NULL), -EIO);
    assert_int_equal(n_seen, 3);
    assert_int_equal(rates.n, 5); /* without 2 */
    assert_int_equal(rates.sandboxes[0], 3);
    assert_int_equal(rates.sandboxes[1], 4);
    assert_int_equal(rates.sandboxes[4], 7);
    denials_rates_done(&rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_error_forgets_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
