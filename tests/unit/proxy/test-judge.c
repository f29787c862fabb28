/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proxy/judge.h"

static const char *judge(const char *text)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return judge_address((struct sockaddr *)&v4);
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return judge_address((struct sockaddr *)&v6);
}

static void expect(const char *text, const char *why)
{
    const char *seen = judge(text);

    if ((!seen) != (!why) || (seen && strcmp(seen, why) != 0))
        fail_msg("%s: %s, not %s", text, seen ? seen : "allowed", why ? why : "allowed");
}

static void v4(void **state)
{
    (void)state;
    static const char *const allowed[] = {
        "1.0.0.0",         "9.255.255.255", "11.0.0.0",      "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0",     "168.63.129.15", "168.63.129.17",  "169.253.255.255",
        "172.15.255.255",  "172.32.0.0",    "192.0.1.0",     "192.0.3.0",      "192.52.193.1",
        "192.167.255.255", "192.169.0.0",   "192.175.48.1",  "198.17.255.255", "198.20.0.0",
        "223.255.255.255",
    };
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
        expect(allowed[i], NULL);
    expect("0.0.0.0", "this network");
    expect("0.255.255.255", "this network");
    expect("10.255.255.255", "private");
    expect("100.64.0.0", "carrier-grade NAT");
    expect("100.127.255.255", "carrier-grade NAT");
    expect("127.0.0.1", "loopback");
    expect("127.255.255.255", "loopback");
    expect("168.63.129.16", "cloud metadata");
    expect("169.254.169.254", "link-local");
    expect("172.16.0.0", "private");
    expect("172.31.255.255", "private");
    expect("192.0.0.192", "reserved");
    expect("192.0.2.1", "documentation");
    expect("192.88.99.1", "6to4 relay");
    expect("192.168.0.1", "private");
    expect("198.19.255.255", "benchmarking");
    expect("198.51.100.1", "documentation");
    expect("203.0.113.1", "documentation");
    expect("224.0.0.1", "multicast");
    expect("239.255.255.255", "multicast");
    expect("240.0.0.1", "reserved");
    expect("255.255.255.255", "reserved");
}

static void v6(void **state)
{
    (void)state;
    expect("2001:200::1", NULL);
    expect("2606:4700::1111", NULL);
    expect("2a00:1450::1", NULL);
    expect("3ffe::1", NULL);
    expect("2003::1", NULL);
    expect("::", "unspecified");
    expect("::1", "loopback");
    expect("::2", "reserved");
    expect("::1.2.3.4", "reserved");
    expect("::ffff:1.2.3.4", "IPv4-mapped");
    expect("::ffff:127.0.0.1", "IPv4-mapped");
    expect("64:ff9b::1.2.3.4", "NAT64");
    expect("64:ff9b:1::1", "NAT64");
    expect("100::1", "reserved");
    expect("2001::1", "Teredo");
    expect("2001:1::1", "reserved");
    expect("2001:1ff::1", "reserved");
    expect("2001:db8::1", "documentation");
    expect("2002:7f00:1::1", "6to4");
    expect("3fff::1", "documentation");
    expect("3fff:fff::1", "documentation");
    expect("4000::1", "reserved");
    expect("5f00::1", "reserved");
    expect("fc00::1", "private");
    expect("fd00:ec2::254", "private");
    expect("fe80::1", "link-local");
    expect("febf::1", "link-local");
    expect("fec0::1", "reserved");
    expect("ff02::1", "multicast");
}

static void other(void **state)
{
    const struct sockaddr local = { .sa_family = AF_UNIX };

    (void)state;
    assert_string_equal(judge_address(&local), "not an IP address");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v4),
        cmocka_unit_test(v6),
        cmocka_unit_test(other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
