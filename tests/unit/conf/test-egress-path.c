/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/egress-path.h"

/* In a buffer of just its size, so that a sanitizer sees what reads or writes beyond. */
static void normalises(const char *path, const char *expected)
{
    size_t size = strlen(path);
    _cleanup_free_ char *buffer = malloc(size + !size);

    assert_non_null(buffer);
    memcpy(buffer, path, size);
    assert_int_equal(egress_normalise_path(buffer, &size), 0);
    assert_int_equal(size, strlen(expected));
    if (memcmp(buffer, expected, size) != 0)
        fail_msg("%s became %.*s, not %s", path, (int)size, buffer, expected);

    /* And that is a form that stays. */
    const size_t before = size;
    assert_int_equal(egress_normalise_path(buffer, &size), 0);
    assert_int_equal(size, before);
    assert_memory_equal(buffer, expected, size);
}

static void refuses(const char *path, size_t size)
{
    _cleanup_free_ char *buffer = malloc(size + !size);

    assert_non_null(buffer);
    memcpy(buffer, path, size);
    assert_int_equal(egress_normalise_path(buffer, &size), -EBADMSG);
}

static void test_normalise(void **state)
{
    (void)state;
    normalises("/", "/");
    normalises("/a/b", "/a/b");
    /* Unreserved characters alone are decoded, once. */
    normalises("/%41%2d%5F%7e%2E%30", "/A-_~.0");
    normalises("/%2f%2F%3b%25%32%65", "/%2f%2F%3b%252e");
    normalises("/@s%2fn", "/@s%2fn");
    normalises("/a%20b%C3%A4", "/a%20b%C3%A4");
    normalises("/\xc3\xa4\\\"<>^`{|}", "/\xc3\xa4\\\"<>^`{|}");
    /* Dot segments, as they are or encoded. */
    normalises("/.", "/");
    normalises("/..", "/");
    normalises("/../../a", "/a");
    normalises("/a/./b/../c", "/a/c");
    normalises("/a/b/..", "/a/");
    normalises("/a/b/.", "/a/b/");
    normalises("/a/%2e%2E/b", "/b");
    normalises("/a/.%2e", "/");
    normalises("/a/...", "/a/...");
    normalises("/.a/..b/c.", "/.a/..b/c.");
    /* Empty segments stay, and are segments. */
    normalises("//", "//");
    normalises("//a//b/", "//a//b/");
    normalises("/a//../b", "/a/b");
    normalises("/..//a", "//a");
    /* What some servers take for more than it is stays as well: a wildcard does not match it. */
    normalises("/a/..;/b", "/a/..;/b");
    normalises("/a/..%2fb", "/a/..%2fb");
    normalises("/a/..\\b", "/a/..\\b");
}

static void test_malformed(void **state)
{
    static const char *const malformed[] = {
        "a",   "*",    "?",    "%2f",  "/%",    "/%4",   "/%4g",  "/%g4",
        "/a%", "/a?b", "/a#b", "/a b", "/a\tb", "/\x7f", "/%%41", "/a\n",
    };

    (void)state;
    refuses("", 0);
    refuses("/a\0b", 4);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        refuses(malformed[i], strlen(malformed[i]));
}

static bool match(const char *pattern, const char *path)
{
    const size_t size = strlen(path);
    _cleanup_free_ char *buffer = malloc(size + !size);

    assert_non_null(buffer);
    memcpy(buffer, path, size);
    return egress_match_path(pattern, buffer, size);
}

static void yes(const char *pattern, const char *path)
{
    if (!match(pattern, path))
        fail_msg("%s does not match %s", pattern, path);
}

static void no(const char *pattern, const char *path)
{
    if (match(pattern, path))
        fail_msg("%s matches %s", pattern, path);
}

static void test_literal(void **state)
{
    (void)state;
    yes("/", "/");
    no("/", "");
    no("/", "//");
    no("/", "*");
    yes("/a/b", "/a/b");
    no("/a/b", "/a/b/");
    no("/a/b/", "/a/b");
    yes("/a/b/", "/a/b/");
    no("/a/b", "/a/B");
    no("/a/b", "/a");
    no("/a", "/a/b");
    no("/a/b", "/a//b");
    yes("/@s%2fn", "/@s%2Fn");
    yes("/@s%2Fn", "/@s%2fn");
    no("/@s%2fn", "/@s/n");
    no("/@s/n", "/@s%2fn");
    no("/a%20", "/a%21");
    yes("/a;b\\c", "/a;b\\c");
    /* Cut escapes, which are no path in its form, and still must not be read beyond. */
    no("/%2f", "/%2");
    no("/%2f", "/%");
}

static void test_star(void **state)
{
    (void)state;
    yes("/*", "/a");
    no("/*", "/");
    no("/*", "/a/");
    no("/*", "/a/b");
    yes("/a*", "/a");
    yes("/*.git", "/.git");
    yes("/*.git", "/a.git.git");
    no("/*.git", "/a.git2");
    yes("/a*b*c", "/aXbYbZc");
    no("/a*b*c", "/aXbYbZcd");
    no("/a*a", "/a");
    yes("/x/*/y", "/x/a!$&'()*+,=:@-._~/y");
    yes("/x/*/y", "/x/%C3%A4%20/y");
    no("/x/*/y", "/x//y");
    /* Never what is another path to some server. */
    no("/x/*/y", "/x/a/b/y");
    no("/x/*/y", "/x/a%2fb/y");
    no("/x/*/y", "/x/a%2Fb/y");
    no("/x/*/y", "/x/a%5cb/y");
    no("/x/*/y", "/x/a\\b/y");
    no("/x/*/y", "/x/a;b/y");
    no("/x/*/y", "/x/..;/y");
    no("/x/*/y", "/x/a%3Bb/y");
    no("/x/*/y", "/x/%252e%252e/y");
    no("/x/*/y", "/x/%2e%2e/y");
    no("/x/*/y", "/x/../y");
    no("/x/*/y", "/x/./y");
    no("/x/*/y", "/x/a%00/y");
    no("/x/*/y", "/x/a%0d%0a/y");
    no("/x/*/y", "/x/a%3fb/y");
    no("/x/*/y", "/x/a%23b/y");
    no("/x/*/y", "/x/%c0%af/y");
    no("/x/*/y", "/x/\xc3\xa4/y");
    no("/x/*/y", "/x/\"/y");
    no("/x/*/y", "/x/%/y");
    no("/x*y", "/x%2fy");
    no("/x*y", "/x;y");
    yes("/x%2f*y", "/x%2Fy");
    /* A triplet is one character. */
    no("/*2Fy", "/a%2Fy");
    no("/x%*", "/x%20");
}

static void test_double_star(void **state)
{
    (void)state;
    yes("/**/git-upload-pack", "/a/git-upload-pack");
    yes("/**/git-upload-pack", "/a/b.git/git-upload-pack");
    yes("/**/git-upload-pack", "/git-upload-pack/git-upload-pack");
    no("/**/git-upload-pack", "/git-upload-pack");
    no("/**/git-upload-pack", "//git-upload-pack");
    no("/**/git-upload-pack", "/a//git-upload-pack");
    no("/**/git-upload-pack", "//a/git-upload-pack");
    no("/**/git-upload-pack", "/a/git-upload-pack/");
    no("/**/git-upload-pack", "/a/git-upload-pack/b");
    no("/**/git-upload-pack", "/a/git-receive-pack");
    no("/**/git-upload-pack", "/a/xgit-upload-pack");
    no("/**/git-upload-pack", "/a/git-receive-pack%3F/git-upload-pack");
    no("/**/git-upload-pack", "/a/git-receive-pack;/git-upload-pack");
    no("/**/git-upload-pack", "/a/..%2fgit-receive-pack%23/git-upload-pack");
    no("/**/git-upload-pack", "/a/../git-upload-pack");
    yes("/**", "/a");
    yes("/**", "/a/b/c");
    no("/**", "/");
    no("/**", "/a/");
    yes("/**/", "/a/b/");
    yes("/a/**/b/**/c", "/a/x/b/y/c");
    yes("/a/**/b/**/c", "/a/b/b/b/c/c");
    yes("/a/**/b/**/c", "/a/x/b/b/c/b/z/c");
    no("/a/**/b/**/c", "/a/b/c");
    no("/a/**/b/**/c", "/a/x/b/c");
    no("/a/**/b/**/c", "/a/x/b/%2f/b/y/c");
    yes("/**/*.git/info", "/a/b/c.git/info");
    no("/**/*.git/info", "/c.git/info");
    yes("/**/**", "/a/b");
    no("/**/**", "/a");
}

/* Each would take years if what failed once were tried again. */
static void test_effort(void **state)
{
    const size_t size = 16384;
    _cleanup_free_ char *path = malloc(size);

    (void)state;
    assert_non_null(path);
    memset(path, 'a', size);
    path[0] = '/';
    assert_false(egress_match_path("/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path, size));
    for (size_t i = 0; i < size; i += 2)
        path[i] = '/';
    assert_false(egress_match_path("/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b", path, size));
    assert_true(egress_match_path("/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a", path, size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normalise),   cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_literal),     cmocka_unit_test(test_star),
        cmocka_unit_test(test_double_star), cmocka_unit_test(test_effort),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
