/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/resolvers.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"

/* expected: addresses with a space behind each. */
static void parses(const char *text, const char *expected)
{
    struct ruleset_address list[RESOLVERS_MAX];
    const size_t size = strlen(text);
    _cleanup_free_ char *copy = malloc(size + !size);
    char got[1024] = "";
    size_t n;

    assert_non_null(copy);
    memcpy(copy, text, size);
    n = resolvers_parse(copy, size, list);
    for (size_t i = 0; i < n; i++) {
        char address[INET6_ADDRSTRLEN];

        inet_ntop(list[i].family, list[i].address, address, sizeof address);
        strcat(strcat(got, address), " ");
    }
    assert_string_equal(got, expected);
}

static void test_resolvers(void **state)
{
    (void)state;
    parses("nameserver 192.0.2.1\n", "192.0.2.1 ");
    parses("# comment\nsearch example.org\nnameserver\t2001:db8::1  \r\nnameserver 127.0.0.53",
           "2001:db8::1 127.0.0.53 ");
    parses("nameserver fe80::1%eth0\n", "fe80::1 ");
    parses("nameserver 192.0.2.1\nnameserver 192.0.2.1\n", "192.0.2.1 ");
    parses("nameserver 192.0.2.1 # the first\n", "192.0.2.1 ");
}

/* This host itself, then. */
static void test_none(void **state)
{
    (void)state;
    parses("", "127.0.0.1 ::1 ");
    parses("#nameserver 192.0.2.1\n", "127.0.0.1 ::1 ");
    parses(" nameserver 192.0.2.1\n", "127.0.0.1 ::1 ");
    parses("nameserver192.0.2.1\n", "127.0.0.1 ::1 ");
    parses("nameservers 192.0.2.1\n", "127.0.0.1 ::1 ");
    parses("nameserver", "127.0.0.1 ::1 ");
    parses("nameserver ", "127.0.0.1 ::1 ");
    parses("nameserver dns.example\n", "127.0.0.1 ::1 ");
    parses("nameserver 192.0.2.256\n", "127.0.0.1 ::1 ");
    parses("nameserver %eth0\n", "127.0.0.1 ::1 ");
    parses("nameserver "
           "1111111111111111111111111111111111111111111111111111111111111111111111111\n",
           "127.0.0.1 ::1 ");
}

static void test_too_many(void **state)
{
    char text[512] = "", expected[512] = "";

    (void)state;
    for (int i = 0; i < 12; i++) {
        char line[64];

        (void)snprintf(line, sizeof line, "nameserver 192.0.2.%d\n", i);
        strcat(text, line);
        (void)snprintf(line, sizeof line, "192.0.2.%d ", i);
        strcat(expected, i < RESOLVERS_MAX ? line : "");
    }
    parses(text, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolvers),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
