/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes back from a proxy, and what counts as its refusal. */
#include "sandboxctl/probes/ask.h"
#include "sandboxctl/probes/setting.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void test_answer(void **state)
{
    struct answer answer;

    (void)state;
    assert_true(answer_parse("HTTP/1.1 403 Forbidden\r\nx-egress-denied: no-write-rule\r\n"
                             "Content-Length: 3\r\n\r\nwhy",
                             &answer));
    assert_int_equal(answer.status, 403);
    assert_string_equal(answer.denied, "no-write-rule");
    assert_string_equal(answer.body, "why");

    /* Of the proxy's own is what stands in the head. */
    assert_true(
        answer_parse("HTTP/1.0 200 OK\r\nA: b\r\n\r\n\r\nX-Egress-Denied: feed\r\n", &answer));
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.denied, "");

    assert_false(answer_parse("", &answer));
    assert_false(answer_parse("HTTP/1.1 200 OK\r\n", &answer));
    assert_false(answer_parse("SSH-2.0-x\r\n\r\n", &answer));
    assert_false(answer_parse("HTTP/1.1 -4 No\r\n\r\n", &answer));
}

static void test_reasons(void **state)
{
    (void)state;
    assert_true(answer_is_one_of("feed", "feed"));
    assert_true(answer_is_one_of("feed", "address,feed"));
    assert_true(answer_is_one_of("address", "address,feed"));
    assert_false(answer_is_one_of("feed", "feeds,fee"));
    assert_false(answer_is_one_of("", "feed,"));
    assert_false(answer_is_one_of("feed", "-"));
}

static void test_marks(void **state)
{
    char text[16];

    (void)state;
    fill_in("a {x} b {x}", "{x}", "1", text, sizeof text);
    assert_string_equal(text, "a 1 b 1");
    fill_in("none", "{x}", "1", text, sizeof text);
    assert_string_equal(text, "none");
    fill_in("{x}{x}{x}", "{x}", "12345678", text, sizeof text);
    assert_string_equal(text, "123456781234567");
}

/* What ask_read() makes of bytes; the other end stays open. */
static ssize_t read_from(const char *bytes, char *text, size_t size)
{
    _cleanup_close_ int ours = -EBADF, theirs = -EBADF;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ours = pair[0];
    theirs = pair[1];
    assert_int_equal(ask_write(theirs, bytes, strlen(bytes)), 0);
    return ask_read(ours, text, size);
}

static void test_read_to_the_end(void **state)
{
    char text[256], small[8];

    (void)state;
    assert_int_equal(read_from("HTTP/1.1 101 X\r\n\r\n", text, sizeof text), 18);
    assert_int_equal(read_from("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nab", text, sizeof text),
                     39);
    assert_int_equal(read_from("0123456789", small, sizeof small), 7);
    assert_string_equal(small, "0123456");
}

static void test_feed_host(void **state)
{
    char host[32];

    (void)state;
    assert_true(
        setting_feed_host("# evil.example\n\n*.bad.example\nc.example\n", host, sizeof host));
    assert_string_equal(host, "bad.example");
    assert_true(
        setting_feed_host("0.0.0.0 localhost\n0.0.0.0\ta.example b.example", host, sizeof host));
    assert_string_equal(host, "a.example");
    assert_false(setting_feed_host("", host, sizeof host));
    assert_false(setting_feed_host("::1 localhost\n10.0.0.1\n", host, sizeof host));
    assert_false(setting_feed_host("a-name-that-is-longer-than-there-is.room", host, sizeof host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),    cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_marks),     cmocka_unit_test(test_read_to_the_end),
        cmocka_unit_test(test_feed_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
