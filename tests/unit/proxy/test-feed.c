/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "proxy/feed.h"

/* From a buffer of just its size. */
static struct feed *parse(const char *text)
{
    const size_t size = strlen(text);
    _cleanup_free_ char *copy = malloc(size + !size);
    struct feed *feed = NULL;
    unsigned line;

    assert_non_null(copy);
    memcpy(copy, text, size);
    assert_int_equal(feed_parse(copy, size, &feed, &line), 0);
    assert_non_null(feed);
    return feed;
}

static void refuses(const char *text, size_t size, unsigned expected)
{
    struct feed *feed = NULL;
    unsigned line = 0;

    assert_int_equal(feed_parse(text, size, &feed, &line), -EBADMSG);
    assert_null(feed);
    assert_int_equal(line, expected);
}

static void test_nothing(void **state)
{
    static const char *const texts[] = { "", "\n", "# nothing\n\n   \n\t# indented\n\r\n" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        _cleanup_(feed_unrefp) struct feed *feed = parse(texts[i]);

        assert_int_equal(feed_count(feed), 0);
        assert_false(feed_has(feed, "example.org"));
        assert_false(feed_has(feed, ""));
    }
}

static void test_one_a_line(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed = parse("evil.example\n"
                                                     "  Spaced.EXAMPLE. \t# why\r\n"
                                                     "*.star.example\n"
                                                     "evil.example\n"
                                                     "_dmarc.a-b.example\n"
                                                     "xn--bcher-kva.example");

    (void)state;
    assert_int_equal(feed_count(feed), 5);
    assert_true(feed_has(feed, "evil.example"));
    assert_true(feed_has(feed, "spaced.example"));
    assert_true(feed_has(feed, "star.example"));
    assert_true(feed_has(feed, "_dmarc.a-b.example"));
    assert_true(feed_has(feed, "xn--bcher-kva.example"));
    assert_false(feed_has(feed, "example"));
    assert_false(feed_has(feed, "good.example"));
}

static void test_what_is_below(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed = parse("evil.example\na.b.example\n");

    (void)state;
    assert_true(feed_has(feed, "www.evil.example"));
    assert_true(feed_has(feed, "a.b.c.d.evil.example"));
    assert_false(feed_has(feed, "notevil.example"));
    assert_false(feed_has(feed, "evil.example.org"));
    assert_false(feed_has(feed, "vil.example"));
    assert_false(feed_has(feed, ".example"));
    assert_false(feed_has(feed, "b.example"));
    assert_true(feed_has(feed, "x.a.b.example"));
    assert_false(feed_has(feed, "xa.b.example"));
}

static void test_hosts_format(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed = parse("127.0.0.1 localhost\n"
                                                     "::1\tip6-localhost ip6-loopback\n"
                                                     "0.0.0.0 evil.example www.bad.example\n"
                                                     "0.0.0.0\t\tlast.example # comment\n");

    (void)state;
    assert_int_equal(feed_count(feed), 3);
    assert_true(feed_has(feed, "evil.example"));
    assert_true(feed_has(feed, "www.bad.example"));
    assert_true(feed_has(feed, "last.example"));
    assert_false(feed_has(feed, "bad.example"));
    assert_false(feed_has(feed, "localhost"));
    assert_false(feed_has(feed, "127.0.0.1"));
}

/* A single label would be a whole top-level domain. */
static void test_no_top_level_domain(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed = parse("com\n*.org\nlocalhost\n0.0.0.0 net\n");

    (void)state;
    assert_int_equal(feed_count(feed), 0);
    assert_false(feed_has(feed, "example.com"));
}

static void test_addresses(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed =
        parse("192.0.2.1\n2001:DB8:0:0::1\n::102:304\n3.4.example\n");

    (void)state;
    assert_int_equal(feed_count(feed), 4);
    assert_true(feed_has(feed, "192.0.2.1"));
    assert_false(feed_has(feed, "192.0.2.10"));
    assert_true(feed_has(feed, "2001:db8::1"));
    assert_false(feed_has(feed, "1.2.3.4"));
}

static void test_what_is_no_feed(void **state)
{
    static const char *const texts[] = {
        "<html>\n",
        "evil.example good.example\n",
        "a..example\n",
        ".example\n",
        "..\n",
        "ev\xc3\xadl.example\n",
        "evil/x\n",
        "https://evil.example/\n",
        "-\x01.example\n",
        "a123456789012345678901234567890123456789012345678901234567890123.example\n",
    };
    char long_line[2000];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuses(texts[i], strlen(texts[i]), 1);
    refuses("a.example\n\nb\0.example\n", 22, 3);
    memset(long_line, 'a', sizeof long_line);
    refuses(long_line, sizeof long_line, 1);
}

/* One line in a hundred may be wrong: a feed is made by many. */
static void test_some_lines_may_be_wrong(void **state)
{
    char text[8192] = "";
    size_t used = 0;
    struct feed *feed = NULL;
    unsigned line;

    (void)state;
    for (int i = 0; i < 199; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "n%d.example\n", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "not a name\n");
    assert_int_equal(feed_parse(text, used, &feed, &line), 0);
    assert_int_equal(feed_count(feed), 199);
    feed_unref(feed);
    feed = NULL;
    used += (size_t)snprintf(text + used, sizeof text - used, "nor this\n");
    assert_int_equal(feed_parse(text, used, &feed, &line), 0);
    feed_unref(feed);
    feed = NULL;
    used += (size_t)snprintf(text + used, sizeof text - used, "or that\n");
    refuses(text, used, 200);
}

static size_t in_use(void)
{
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static void test_a_hundred_thousand(void **state)
{
    _cleanup_(feed_unrefp) struct feed *feed = NULL, *shared = NULL;
    _cleanup_free_ char *text = NULL;
    size_t size, before;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_non_null(out);
    for (int i = 0; i < 100000; i++)
        fprintf(out, "0.0.0.0 host-%d.some-domain-%d.example\n", i, i / 3);
    assert_int_equal(fclose(out), 0);
    before = in_use();
    feed = parse(text);
    assert_int_equal(feed_count(feed), 100000);
    /* A sanitizer keeps its own books; without one this is what it costs. */
    assert_true(in_use() - before < 10 << 20);
    for (int i = 0; i < 100000; i++) {
        char host[64];

        (void)snprintf(host, sizeof host, "host-%d.some-domain-%d.example", i, i / 3);
        assert_true(feed_has(feed, host));
        (void)snprintf(host, sizeof host, "host-%d.some-domain-%d.example", i, i / 3 + 1);
        assert_false(feed_has(feed, host));
    }
    shared = feed_ref(feed);
    assert_ptr_equal(shared, feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_one_a_line),
        cmocka_unit_test(test_what_is_below),
        cmocka_unit_test(test_hosts_format),
        cmocka_unit_test(test_no_top_level_domain),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_what_is_no_feed),
        cmocka_unit_test(test_some_lines_may_be_wrong),
        cmocka_unit_test(test_a_hundred_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
