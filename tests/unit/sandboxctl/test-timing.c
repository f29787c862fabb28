/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stages of long work, as they are printed. */
#include "conf/cleanup.h"
#include "sandboxctl/timing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *printed(enum timing_format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    timing_print(format, "the work", out);
    fclose(out);
    return text;
}

static void test_table(void **state)
{
    _cleanup_free_ char *text = NULL;
    char first[32], second[32], sum[64];

    (void)state;
    timing_stage("One %d", 1);
    timing_stage("Two");
    text = printed(TIMING_TABLE);
    assert_int_equal(sscanf(text, "One 1 %31[0-9.] s\nTwo %31[0-9.] s\nthe work %63[0-9.] s\n",
                            first, second, sum),
                     3);
}

static void test_markdown(void **state)
{
    _cleanup_free_ char *text = NULL;
    char seconds[32];

    (void)state;
    timing_stage("One");
    text = printed(TIMING_MARKDOWN);
    assert_int_equal(sscanf(text,
                            "### the work | Stage | Time | | :-- | --: | | One | %31[0-9.] s | "
                            "| **All of it** |",
                            seconds),
                     1);
    assert_non_null(strstr(text, "\n| **All of it** | "));
}

static void test_off_and_anew(void **state)
{
    _cleanup_free_ char *off = NULL, *anew = NULL;

    (void)state;
    timing_stage("One");
    off = printed(TIMING_OFF);
    assert_string_equal(off, "");
    anew = printed(TIMING_TABLE);
    assert_null(strstr(anew, "One"));
}

static void test_formats(void **state)
{
    enum timing_format format;

    (void)state;
    assert_int_equal(timing_parse(NULL, &format), 0);
    assert_int_equal(format, TIMING_TABLE);
    assert_int_equal(timing_parse("markdown", &format), 0);
    assert_int_equal(format, TIMING_MARKDOWN);
    assert_int_equal(timing_parse("html", &format), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_off_and_anew),
        cmocka_unit_test(test_formats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
