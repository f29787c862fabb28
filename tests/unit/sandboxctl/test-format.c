/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/format.h"

#include "sandboxctl/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static void test_bytes(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        { 0, "0B" },
        { 1023, "1023B" },
        { 1024, "1K" },
        { 1536, "1.5K" },
        { 1024 * 1024 - 1, "1023.9K" },
        { UINT64_C(8) << 30, "8G" },
        { UINT64_C(1) << 60, "1E" },
        { UINT64_MAX, "15.9E" },
    };
    char buffer[FORMAT_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(format_bytes(buffer, cases[i].bytes), cases[i].text);
}

static void test_pairs(void **state)
{
    char buffer[FORMAT_SIZE];

    (void)state;
    assert_string_equal(format_count(buffer, 12, 64), "12/64");
    assert_string_equal(format_count(buffer, 12, CONFIG_UNLIMITED), "12");
    assert_string_equal(format_count(buffer, STATUS_UNKNOWN, 64), "-/64");
    assert_string_equal(format_count(buffer, STATUS_UNKNOWN, CONFIG_UNLIMITED), "-");
    assert_string_equal(format_memory(buffer, 1536, UINT64_C(8) << 30), "1.5K/8G");
    assert_string_equal(format_memory(buffer, STATUS_UNKNOWN, CONFIG_UNLIMITED), "-");
}

static void test_time(void **state)
{
    char buffer[FORMAT_SIZE];

    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    assert_string_equal(format_time(buffer, UINT64_C(1764428645999999)), "2025-11-29 15:04:05 UTC");
    assert_string_equal(format_time(buffer, 0), "1970-01-01 00:00:00 UTC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
