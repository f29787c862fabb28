/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "nss/subid-file.h"

#include <string.h>

static bool parse(const char *text, struct subid_line *line)
{
    static char copy[4096];
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    return subid_line_parse(copy, line);
}

static void test_lines(void **state)
{
    static const struct {
        const char *text, *owner;
        uint32_t start, count;
    } good[] = {
        { "alice:100000:65536", "alice", 100000, 65536 },
        { "1000:100000:65536", "1000", 100000, 65536 },
        { "a:0:1", "a", 0, 1 },
        { "a:4294967294:1", "a", 4294967294, 1 },
        { "a:1:4294967294", "a", 1, 4294967294 },
        { "a:0x10:010", "a", 16, 8 }, /* strtoul(3), base 0 */
        { "a: 16:\t8", "a", 16, 8 },
        { "a:1:2:3:4", "a", 1, 2 },
        { "a b:1:2", "a b", 1, 2 },
    };
    struct subid_line line;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(parse(good[i].text, &line));
        assert_string_equal(line.owner, good[i].owner);
        assert_int_equal(line.start, good[i].start);
        assert_int_equal(line.count, good[i].count);
    }
}

static void test_no_lines(void **state)
{
    static const char *const bad[] = {
        "",
        "a",
        "a:",
        "a:1",
        "a:1:",
        ":1:2",
        "a::2",
        "a:1:x",
        "a:x:1",
        "a:1:2x",
        "a:-1:2",
        "a:1:-2",
        "+:1:2",
        "-:1:2",
        "+a:1:2",
        "a:1:0",
        "a:1:-",
        "a:1: ",
        "::",
        "a:4294967295:1",
        "a:4294967296:1",
        "a:1:4294967295",
        "a:1:4294967296",
        "a:-18446744073709551615:1", /* 1, to strtoul(3) */
        "a:99999999999999999999:1",
        "a:1:99999999999999999999",
    };
    struct subid_line line;
    char text[1200];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(parse(bad[i], &line));

    memset(text, 'a', sizeof text);
    strcpy(text + 1019, ":1:2");
    assert_true(strlen(text) == 1023 && parse(text, &line));
    memset(text, 'a', sizeof text);
    strcpy(text + 1020, ":1:2");
    assert_false(parse(text, &line));
}

static void test_uids(void **state)
{
    uid_t uid;
    (void)state;
    assert_true(subid_parse_uid("0", &uid) && uid == 0);
    assert_true(subid_parse_uid("59000", &uid) && uid == 59000);
    assert_true(subid_parse_uid("4294967294", &uid) && uid == 4294967294);
    static const char *const bad[] = {
        "", "a", "1a", "-1", "+1", " 1", "0x10", "4294967295", "4294967296", "99999999999999999999"
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(subid_parse_uid(bad[i], &uid));
}

static void test_file(void **state)
{
    struct subid_file file;
    struct subid_line line;
    (void)state;
    assert_int_equal(subid_file_open(&file, "/etc/subuid"), 0);
    assert_int_equal(subid_file_next(&file, &line), 0);
    subid_file_close(&file);

    tree_write("/etc/subuid", "# comment\n\na:1:2\nbroken\nb:3:4");
    unsigned fds = tree_count_fds();
    assert_int_equal(subid_file_open(&file, "/etc/subuid"), 0);
    assert_int_equal(subid_file_next(&file, &line), 1);
    assert_string_equal(line.owner, "a");
    assert_int_equal(subid_file_next(&file, &line), 1);
    assert_string_equal(line.owner, "b");
    assert_int_equal(subid_file_next(&file, &line), 0);
    assert_int_equal(subid_file_next(&file, &line), 0);
    subid_file_close(&file);
    assert_int_equal(tree_count_fds(), fds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_uids),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
