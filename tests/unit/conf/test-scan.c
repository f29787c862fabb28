/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conf/scan.h"

struct result {
    char sections[1024]; /* "LINE/START[text]" each, "refused" for those with problems */
    char problems[1024]; /* "LINE: message\n" */
};

static void on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    struct result *result = userdata;
    const size_t used = strlen(result->problems);

    assert_string_equal(file, "f");
    (void)snprintf(result->problems + used, sizeof result->problems - used, "%u: %s\n", line,
                   message);
}

static int on_section(const struct scan_section *section, void *userdata)
{
    struct result *result = userdata;
    const size_t used = strlen(result->sections);

    (void)snprintf(result->sections + used, sizeof result->sections - used, "%u/%u[%s]",
                   section->line, section->start, section->text ? section->text : "refused");
    return 0;
}

static void expect_bytes(const char *text, size_t size, const char *sections, const char *problems)
{
    struct result result = { 0 };
    struct problems found = { .report = on_problem, .userdata = &result };

    assert_int_equal(scan_sections("f", text, size, &found, on_section, &result), 0);
    assert_string_equal(result.problems, problems);
    assert_string_equal(result.sections, sections);
}

static void expect(const char *text, const char *sections, const char *problems)
{
    expect_bytes(text, strlen(text), sections, problems);
}

static void test_nothing(void **state)
{
    (void)state;
    expect("", "", "");
    expect(" \t\n# only a comment, \"with { odd ' things ${HOME}\n", "", "");
    expect("#", "", "");
}

static void test_sections_are_apart(void **state)
{
    (void)state;
    expect("a { x = 1 }\n\nb { c { y = 2 } }", "1/1[a { x = 1 }]1/3[\n\nb { c { y = 2 } }]", "");
    expect("a{}b{}", "1/1[a{}]1/1[b{}]", "");
    expect("x = 1", "1/1[x = 1]", "");
}

static void test_comments_go_and_lines_stay(void **state)
{
    (void)state;
    expect("# one\n# two\na { # three\n x = { # in a list\n y }\n}",
           "1/3[\n\na { \n x = { \n y }\n}]", "");
    expect("a { x = \"#1\" }", "1/1[a { x = \"#1\" }]", "");
    expect("a { x = '#1' }", "1/1[a { x = '#1' }]", "");
}

static void test_append_is_marked(void **state)
{
    (void)state;
    expect("x += { y }", "1/1[x += {\"\001\", y }]", "");
    expect("x +=\n{ y }", "1/1[x +=\n{\"\001\", y }]", "");
    expect("x += { }", "1/1[x += {\"\001\", }]", "");
    expect("x += y", "1/1[refused]", "1: += without a list; write { } around the values\n");
    expect("x += \"y\"", "1/1[refused]", "1: += without a list; write { } around the values\n");
    expect("x + = { y }", "1/1[refused]", "1: + stands for += only, with no space between\n");
    expect("x +", "1/1[refused]", "1: + stands for += only, with no space between\n");
}

static void test_strings(void **state)
{
    (void)state;
    expect("x = \"a\\\\b\\\"c\\$\\${d\"", "1/1[x = \"a\\\\b\\\"c\\$\\${d\"]", "");
    expect("x = 'a\\'}b\\c\"'", "1/1[x = 'a\\'}b\\c\"']", "");
    expect("x = \"\xc3\xa4\"", "1/1[x = \"\xc3\xa4\"]", "");
    expect("x = \"${HOME}\"", "1/1[refused]",
           "1: ${...} in a string: the environment is not consulted; write the value itself, or "
           "\"\\${\" for these characters\n");
    expect("x = '${HOME}'", "1/1[refused]",
           "1: ${...} in a string: the environment is not consulted; write the value itself, or "
           "\"\\${\" for these characters\n");
    expect("x = \"\\n\"", "1/1[refused]",
           "1: a backslash in double quotes stands before one of \\ \" $ only; write \\\\ for a "
           "backslash\n");
    expect("x = \"\\777\"", "1/1[refused]",
           "1: a backslash in double quotes stands before one of \\ \" $ only; write \\\\ for a "
           "backslash\n");
    expect("x = \"a\tb\"", "1/1[refused]", "1: control character 0x09 in a string; remove it\n");
    expect("x = \"a\x7f\"", "1/1[refused]", "1: control character 0x7f in a string; remove it\n");
    expect("x = \"\001\"", "1/1[refused]", "1: control character 0x01 in a string; remove it\n");
}

static void test_utf8(void **state)
{
    static const char *const wrong[] = {
        "\xff",
        "\x80",
        "\xc0\x80",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xe2\x82",
        "\xf0\x80\x80\x80",
    };

    (void)state;
    expect("x = \"\xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf\"",
           "1/1[x = \"\xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf\"]", "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct result result = { 0 };
        struct problems found = { .report = on_problem, .userdata = &result };
        char text[32];

        (void)snprintf(text, sizeof text, "x = \"%s\"", wrong[i]);
        assert_int_equal(scan_sections("f", text, strlen(text), &found, on_section, &result), 0);
        assert_non_null(strstr(result.problems, "is not UTF-8; save the file as UTF-8"));
        assert_string_equal(result.sections, "1/1[refused]");
    }
}

static void test_open_ends(void **state)
{
    (void)state;
    expect("a { x = \"y }\n}\nb { }", "1/1[refused]2/3[\nb { }]",
           "1: the string is not closed on its line; end it with \"\n");
    expect("a { x = 'y", "1/1[refused]",
           "1: the string is not closed on its line; end it with '\n"
           "1: the section that begins here is not closed; end it with }\n");
    expect("\na\n{ x = 1\n", "1/2[refused]",
           "3: the section that begins here is not closed; end it with }\n");
    expect("a { }\n}\nb { }", "1/1[a { }]1/2[refused]2/3[\nb { }]",
           "2: } closes nothing; remove it, or open the section with {\n");
    expect("x = \"\\", "1/1[refused]",
           "1: a backslash in double quotes stands before one of \\ \" $ only; write \\\\ for a "
           "backslash\n1: the string is not closed on its line; end it with \"\n");
}

static void test_what_would_be_skipped(void **state)
{
    (void)state;
    expect("x = { ACTIONS_* }", "1/1[refused]",
           "1: '*' outside of quotes; put the value in quotes\n");
    expect("x = /a//b", "1/1[refused]",
           "1: // outside of quotes; a comment begins with #, and a value with such characters is "
           "written in quotes\n");
    expect("x = /a/*", "1/1[refused]",
           "1: /* outside of quotes; a comment begins with #, and a value with such characters is "
           "written in quotes\n");
    expect("x = 1\r\n", "1/1[refused]",
           "1: character 0x0d outside of quotes; remove it or put the value in quotes\n");
    expect("x = \xc3\xa4", "1/1[refused]",
           "1: character 0xc3 outside of quotes; remove it or put the value in quotes\n"
           "1: character 0xa4 outside of quotes; remove it or put the value in quotes\n");
    expect("include(\"f\")", "1/1[refused]",
           "1: '(' outside of quotes; put the value in quotes\n"
           "1: ')' outside of quotes; put the value in quotes\n");
    expect_bytes("x = \0 1", 7, "1/1[refused]",
                 "1: character 0x00 outside of quotes; remove it or put the value in quotes\n");
    expect_bytes("x = \"\0\"", 7, "1/1[refused]",
                 "1: control character 0x00 in a string; remove it\n");
}

static int stop(const struct scan_section *section, void *userdata)
{
    (void)section;
    ++*(unsigned *)userdata;
    return -ENOMEM;
}

static void test_a_failure_ends_it(void **state)
{
    struct problems found = { 0 };
    unsigned calls = 0;

    (void)state;
    assert_int_equal(scan_sections("f", "a{}b{}", 6, &found, stop, &calls), -ENOMEM);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_sections_are_apart),
        cmocka_unit_test(test_comments_go_and_lines_stay),
        cmocka_unit_test(test_append_is_marked),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_open_ends),
        cmocka_unit_test(test_what_would_be_skipped),
        cmocka_unit_test(test_a_failure_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
