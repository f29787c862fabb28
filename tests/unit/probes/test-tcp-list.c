/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc/net/tcp and tcp6 say of listeners, and which of them are to be tried. */
#include "sandboxctl/probes/tcp-list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char tcp[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:0019 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 1 "
    "1 0 100 0 0 10 0\n"
    "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 "
    "1 0 100 0 0 10 0\n"
    "   2: 0100007F:9C40 0100007F:0016 01 00000000:00000000 00:00000000 00000000     0        0 3 "
    "1 0 100 0 0 10 0\n";
static const char tcp6[] =
    "   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 4 1 0\n"
    "   1: 000080FE00000000FF00FC02B80300FE:0035 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000 59000        0 5 1 0\n";

static void assert_listener(const struct tcp_listener *listener, const char *address, uint16_t port,
                            uid_t uid)
{
    assert_string_equal(listener->address, address);
    assert_int_equal(listener->port, port);
    assert_int_equal(listener->uid, uid);
}

static void test_listeners(void **state)
{
    struct tcp_list list = {};

    (void)state;
    assert_int_equal(tcp_list_parse(tcp, &list), 0);
    assert_int_equal(tcp_list_parse(tcp6, &list), 0);
    assert_int_equal(list.n, 4);
    assert_listener(&list.list[0], "127.0.0.1", 25, 101);
    /* All addresses: one of them. */
    assert_listener(&list.list[1], "127.0.0.1", 22, 0);
    assert_listener(&list.list[2], "::1", 80, 0);
    assert_listener(&list.list[3], "fe80::2fc:ff:fe00:3b8", 53, 59000);
    tcp_list_done(&list);
    assert_int_equal(list.n, 0);
}

static void test_odd_lines(void **state)
{
    struct tcp_list list = {};

    (void)state;
    assert_int_equal(tcp_list_parse("", &list), 0);
    assert_int_equal(tcp_list_parse("\n\n0:\n", &list), 0);
    assert_int_equal(tcp_list_parse("0: 7F:0019 00:0000 0A 0:0 0:0 0 0 0 0", &list), 0);
    assert_int_equal(tcp_list_parse("0: 0100007F0100007F:0019 00:0000 0A 0:0 0:0 0 0 0 0", &list),
                     0);
    assert_int_equal(list.n, 0);
}

static void test_allowed(void **state)
{
    uint16_t ports[] = { 5432 };
    struct config_sandbox sandbox = {
        .uid = 59000,
        .subids = { 100000, 10 },
        .egress = { .proxy = true, .port = 3128 },
        .local = { .allow_tcp_ports = ports, .n_allow_tcp_ports = 1 },
    };
    struct tcp_listener listener = { .address = "127.0.0.1", .port = 25, .uid = 0 };

    (void)state;
    assert_false(tcp_list_is_allowed(&sandbox, &listener));
    listener.uid = 59000;
    assert_true(tcp_list_is_allowed(&sandbox, &listener));
    listener.uid = 100009;
    assert_true(tcp_list_is_allowed(&sandbox, &listener));
    listener.uid = 100010;
    assert_false(tcp_list_is_allowed(&sandbox, &listener));
    listener.port = 5432;
    assert_true(tcp_list_is_allowed(&sandbox, &listener));
    /* The proxy's port is the proxy at one address alone. */
    listener.port = 3128;
    assert_true(tcp_list_is_allowed(&sandbox, &listener));
    strcpy(listener.address, "::1");
    assert_false(tcp_list_is_allowed(&sandbox, &listener));
    /* The resolver is one's own affair without a proxy. */
    listener.port = 53;
    assert_false(tcp_list_is_allowed(&sandbox, &listener));
    sandbox.egress.proxy = false;
    assert_true(tcp_list_is_allowed(&sandbox, &listener));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listeners),
        cmocka_unit_test(test_odd_lines),
        cmocka_unit_test(test_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
