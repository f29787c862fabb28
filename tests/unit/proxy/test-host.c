/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proxy/host.h"

static void expect(const char *text, const char *expected)
{
    struct identity identity;
    char seen[AUTHORITY_SIZE + 16];
    const char *problem = "";

    if (host_parse_authority(text, strlen(text), &identity, &problem) < 0)
        snprintf(seen, sizeof(seen), "%.60s", problem);
    else
        snprintf(seen, sizeof(seen), "%s%s %u", identity.host,
                 identity.literal ? identity.v6 ? " v6" : " v4" : "", identity.port);
    if (strcmp(seen, expected) != 0)
        fail_msg("%s: %s, not %s", text, seen, expected);
}

#define NO_HOST "the host is neither a name nor an address"
#define NO_V6 "the IPv6 address in brackets is none"
#define NO_PORT "the port is not a number from 1 to 65535"

static void authorities(void **state)
{
    (void)state;
    expect("Example.COM", "example.com 0");
    expect("example.com.:8443", "example.com 8443");
    expect("localhost:1", "localhost 1");
    expect("a_b.xn--bcher-kva.example", "a_b.xn--bcher-kva.example 0");
    expect("1.2.3.4:65535", "1.2.3.4 v4 65535");
    expect("[2001:DB8:0:0::1]:443", "2001:db8::1 v6 443");
    expect("[::ffff:1.2.3.4]", "::ffff:1.2.3.4 v6 0");

    expect("", NO_HOST);
    expect(".", NO_HOST);
    expect("a..b", NO_HOST);
    expect("a..", NO_HOST);
    expect("-a.b", NO_HOST);
    expect("a-.b", NO_HOST);
    expect("b\xc3\xbc"
           "cher.example",
           NO_HOST);
    expect("a b", NO_HOST);
    expect("a%2eb", NO_HOST);
    expect("a/b", NO_HOST);
    expect("*", NO_HOST);
    expect("u@h", "the authority has userinfo");
    expect("u:p@h:1", "the authority has userinfo");
}

/* What inet_aton(3) would take. */
static void numbers(void **state)
{
    (void)state;
    expect("2130706433", NO_HOST);
    expect("127.1", NO_HOST);
    expect("127.0.0.01", NO_HOST);
    expect("0177.0.0.1", NO_HOST);
    expect("0x7f000001", NO_HOST);
    expect("0X7F.0.0.0x1", NO_HOST);
    expect("0x", NO_HOST);
    expect("1.2.3.4.5", NO_HOST);
    expect("1.2.3.256", NO_HOST);
    expect("example.0", NO_HOST);
    expect("1.2.3.4.", "1.2.3.4 v4 0");
    expect("0xg", "0xg 0");
    expect("4.example", "4.example 0");
}

static void ports(void **state)
{
    (void)state;
    expect("h:", NO_PORT);
    expect("h:0", NO_PORT);
    expect("h:65536", NO_PORT);
    expect("h:000080", NO_PORT);
    expect("h:080", "h 80");
    expect("h:+1", NO_PORT);
    expect("h: 1", NO_PORT);
    expect("h:x", NO_PORT);
    expect("[::1]:", NO_PORT);
    expect("[::1]x", NO_V6);
    expect("[::1", NO_V6);
    expect("[]", NO_V6);
    expect("[1.2.3.4]", NO_V6);
    expect("[fe80::1%25eth0]", NO_V6);
    expect("::1", "an IPv6 address needs brackets, as in [2001:db8::1]:443");
    expect("::1:443", "an IPv6 address needs brackets, as in [2001:db8::1]:443");
}

static void lengths(void **state)
{
    char text[300];
    struct identity identity;

    (void)state;
    /* Labels of 63, and 253 in all. */
    memset(text, 'a', sizeof(text));
    text[63] = text[127] = text[191] = '.';
    assert_int_equal(host_normalise(text, 253, &identity), 0);
    assert_int_equal(host_normalise(text, 254, &identity), -EINVAL);
    text[253] = '.';
    assert_int_equal(host_normalise(text, 254, &identity), 0);
    assert_int_equal(strlen(identity.host), 253);
    text[63] = 'a';
    assert_int_equal(host_normalise(text, 64, &identity), -EINVAL);
}

static void server_names(void **state)
{
    struct identity identity;
    char authority[AUTHORITY_SIZE];

    (void)state;
    assert_int_equal(host_normalise("::1", 3, &identity), 0);
    assert_true(identity.v6);
    identity.port = 443;
    host_format_authority(&identity, 443, authority);
    assert_string_equal(authority, "[::1]");
    host_format_authority(&identity, 80, authority);
    assert_string_equal(authority, "[::1]:443");
    assert_int_equal(host_normalise("h:443", 5, &identity), -EINVAL);
    assert_int_equal(host_normalise("h\0", 2, &identity), -EINVAL);
    assert_int_equal(host_normalise("::1\0", 4, &identity), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(authorities), cmocka_unit_test(numbers),      cmocka_unit_test(ports),
        cmocka_unit_test(lengths),     cmocka_unit_test(server_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
