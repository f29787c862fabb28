/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every denial is told of once, and none twice. */
#include "bpf/denials-rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LATER (DENIAL_WINDOW_NSEC + 1000)

static long record(struct denials_rates *rates, __u32 sandbox, __u32 dropped)
{
    const struct denial denial = { .sandbox = sandbox, .dropped = dropped };

    return denials_rates_record(rates, &denial);
}

static struct denials_rate *first(struct denials_rates *rates, __u32 sandbox)
{
    assert_int_equal(rates->n, 1);
    assert_int_equal(rates->list[0].sandbox, sandbox);
    return &rates->list[0];
}

static void test_a_record_carries_the_count(void **state)
{
    struct denials_rates rates = { 0 };

    (void)state;
    assert_int_equal(record(&rates, 1, 0), 0);
    assert_int_equal(record(&rates, 1, 12), 12);
    assert_int_equal(record(&rates, 1, 3), 3);
    denials_rates_done(&rates);
}

static void test_the_rest_of_a_flood(void **state)
{
    const struct denial_rate flood = { .window_nsec = 1000, .reported = 50, .dropped = 9950 };
    struct denials_rates rates = { 0 };

    (void)state;
    record(&rates, 1, 0);
    assert_true(first(&rates, 1)->waiting);

    /* In the window, more may come. */
    denials_rates_begin(&rates);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &flood, LATER - 1), 0);
    assert_true(first(&rates, 1)->waiting);

    denials_rates_begin(&rates);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &flood, LATER), 9950);
    assert_false(first(&rates, 1)->waiting);

    /* Told once. */
    denials_rates_watch(&rates, 1);
    denials_rates_begin(&rates);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &flood, LATER), 0);

    /* The next record carries them again, and some that came meanwhile. */
    assert_int_equal(record(&rates, 1, 9953), 3);
    assert_int_equal(record(&rates, 1, 5), 5);
    denials_rates_done(&rates);
}

static void test_a_count_that_grows_after_it_was_told(void **state)
{
    struct denial_rate seen = { .window_nsec = 0, .dropped = 5 };
    struct denials_rates rates = { 0 };

    (void)state;
    denials_rates_watch(&rates, 1);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &seen, LATER), 5);
    seen.dropped = 8; /* the ring buffer was full */
    denials_rates_watch(&rates, 1);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &seen, LATER), 3);
    assert_int_equal(record(&rates, 1, 8), 0);
    denials_rates_done(&rates);
}

static void test_a_record_comes_while_looking(void **state)
{
    const struct denial_rate seen = { .window_nsec = 0, .dropped = 5 };
    struct denials_rates rates = { 0 };

    (void)state;
    denials_rates_watch(&rates, 1);
    denials_rates_begin(&rates);
    assert_int_equal(record(&rates, 1, 5), 5);
    assert_int_equal(denials_rates_rest(first(&rates, 1), &seen, LATER), 0);
    assert_true(first(&rates, 1)->waiting);
    denials_rates_done(&rates);
}

static void test_nothing_in_the_map(void **state)
{
    struct denials_rates rates = { 0 };

    (void)state;
    record(&rates, 1, 0);
    denials_rates_begin(&rates);
    assert_int_equal(denials_rates_rest(first(&rates, 1), NULL, LATER), 0);
    assert_false(first(&rates, 1)->waiting);
    denials_rates_done(&rates);
}

static void test_each_sandbox_has_its_own(void **state)
{
    const struct denial_rate seen = { .window_nsec = 0, .dropped = 7 };
    struct denials_rates rates = { 0 };

    (void)state;
    for (__u32 sandbox = 0; sandbox < 1000; sandbox++)
        assert_int_equal(record(&rates, sandbox, sandbox), sandbox);
    assert_int_equal(rates.n, 1000);
    denials_rates_begin(&rates);
    assert_int_equal(denials_rates_rest(&rates.list[3], &seen, LATER), 7);
    assert_int_equal(record(&rates, 4, 7), 7);
    assert_int_equal(record(&rates, 3, 7), 0);
    assert_int_equal(rates.n, 1000);
    denials_rates_done(&rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_record_carries_the_count),
        cmocka_unit_test(test_the_rest_of_a_flood),
        cmocka_unit_test(test_a_count_that_grows_after_it_was_told),
        cmocka_unit_test(test_a_record_comes_while_looking),
        cmocka_unit_test(test_nothing_in_the_map),
        cmocka_unit_test(test_each_sandbox_has_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
