/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a record is a check of. */
#include "conf/cleanup.h"
#include "sandboxctl/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void clear_job(void)
{
    for (const char *const *name = record_job_variables; *name; name++)
        unsetenv(*name);
}

static void test_no_job(void **state)
{
    struct record record;

    (void)state;
    clear_job();
    assert_int_equal(record_of_now("d", &record), -ENOMSG);
    setenv("GITHUB_RUN_ID", "", 1);
    assert_int_equal(record_of_now("d", &record), -ENOMSG);
}

static void test_difference(void **state)
{
    _cleanup_(record_done) struct record a = {}, b = {}, other = {};

    (void)state;
    clear_job();
    setenv("GITHUB_RUN_ID", "1", 1);
    assert_int_equal(record_of_now("d", &a), 0);
    assert_int_equal(record_of_now("d", &b), 0);
    assert_null(record_difference(&a, &b));

    setenv("GITHUB_RUN_ATTEMPT", "2", 1);
    assert_int_equal(record_of_now("d", &other), 0);
    assert_string_equal(record_difference(&a, &other), "job");

    b.digest[0] = 'e';
    assert_string_equal(record_difference(&a, &b), "configuration");
    b.version[0] ^= 1;
    assert_string_equal(record_difference(&a, &b), "version of the package");
    b.boot.bytes[0] ^= 1;
    assert_string_equal(record_difference(&a, &b), "boot");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_job),
        cmocka_unit_test(test_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
