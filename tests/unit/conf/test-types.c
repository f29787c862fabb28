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
#include "conf/types.h"

static const struct option *find(const char *full_name)
{
    char buffer[64];

    for (size_t i = options_first_of_sandbox(); i < n_options; i++)
        if (strcmp(option_full_name(&options[i], buffer), full_name) == 0)
            return &options[i];
    fail_msg("no option %s", full_name);
    return NULL;
}

/* Text that is read, and how it is written then; or why it is refused. */
struct sample {
    const char *option, *text, *written, *reason;
};

static void check_samples(const struct sample *samples)
{
    for (const struct sample *sample = samples; sample->option; sample++) {
        const struct option *option = find(sample->option);
        struct config_sandbox sandbox = { 0 };
        _cleanup_free_ char *written = NULL;
        struct reason reason = { "" };
        size_t size;
        FILE *out;

        int r = option->type->read(option, sample->text, &sandbox, &reason);
        if (sample->reason) {
            assert_string_equal(reason.text, sample->reason);
            assert_int_equal(r, -EINVAL);
        } else {
            assert_string_equal(reason.text, "");
            assert_int_equal(r, 0);
            assert_int_equal(option->type->count(option, &sandbox), sample->written ? 1 : 0);
            if (sample->written) {
                out = open_memstream(&written, &size);
                option->type->write(option, &sandbox, 0, out);
                fclose(out);
                assert_string_equal(written, sample->written);
            }
        }
        options_clear(&sandbox, options_first_of_sandbox(), n_options);
    }
}

static void test_number_edges(void **state)
{
    uint64_t n = 0;

    (void)state;
    assert_int_equal(parse_number("0", 10, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(parse_number("10", 10, &n), 0);
    assert_int_equal(n, 10);
    assert_int_equal(parse_number("11", 10, &n), -ERANGE);
    assert_int_equal(parse_number("18446744073709551615", UINT64_MAX, &n), 0);
    assert_true(n == UINT64_MAX);
    assert_int_equal(parse_number("18446744073709551616", UINT64_MAX - 1, &n), -ERANGE);
    assert_int_equal(parse_number("99999999999999999999999", UINT64_MAX - 1, &n), -ERANGE);
    assert_int_equal(parse_number("", 10, &n), -EINVAL);
    assert_int_equal(parse_number("-1", 10, &n), -EINVAL);
    assert_int_equal(parse_number("+1", 10, &n), -EINVAL);
    assert_int_equal(parse_number(" 1", 10, &n), -EINVAL);
    assert_int_equal(parse_number("1 ", 10, &n), -EINVAL);
    assert_int_equal(parse_number("07", 10, &n), -EINVAL);
    assert_int_equal(parse_number("0x7", 10, &n), -EINVAL);
}

static void test_port(void **state)
{
    static const struct sample samples[] = {
        { "egress.port", "1024", "1024", NULL },
        { "egress.port", "65535", "65535", NULL },
        { "egress.port", "0", NULL, "port \"0\" is out of range; use 1 to 65535" },
        { "egress.port", "80", NULL, "port 80 is out of range; use 1024 to 65535" },
        { "egress.port", "65536", NULL, "port \"65536\" is out of range; use 1 to 65535" },
        { "egress.port", "", NULL, "port \"\" is out of range; use 1 to 65535" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_bool(void **state)
{
    static const struct sample samples[] = {
        { "filesystem-view", "true", "true", NULL },
        { "filesystem-view", "false", "false", NULL },
        { "filesystem-view", "yes", NULL, "\"yes\" is neither true nor false" },
        { "filesystem-view", "True", NULL, "\"True\" is neither true nor false" },
        { "filesystem-view", "", NULL, "\"\" is neither true nor false" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_uid(void **state)
{
#define NOT_A_UID(text)                                                                            \
    { "uid", text, NULL, "\"" text "\" is not the id of a regular user; use 1000 to 59999" }
    static const struct sample samples[] = {
        { "uid", "1000", "1000", NULL },
        { "uid", "59999", "59999", NULL },
        NOT_A_UID("0"),
        NOT_A_UID("999"),
        NOT_A_UID("60000"),
        NOT_A_UID("65534"),
        NOT_A_UID("4294967296"),
        NOT_A_UID("4294968296"), /* 1000, in 32 bits */
        NOT_A_UID("-1"),
        NOT_A_UID("01000"),
        NOT_A_UID("1e4"),
        NOT_A_UID(""),
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_id_range(void **state)
{
#define NOT_A_RANGE(text)                                                                          \
    { "subids", text, NULL, "\"" text "\" is not START:COUNT, as in 1785000000:65536" }
#define OUTSIDE(text)                                                                              \
    { "subids", text, NULL,                                                                        \
      "\"" text "\" goes outside of the ids for containers; stay within 65536 to 2147352575" }
    static const struct sample samples[] = {
        { "subids", "65536:1", "\"65536:1\"", NULL },
        { "subids", "2147352575:1", "\"2147352575:1\"", NULL },
        { "subids", "65536:2147287040", "\"65536:2147287040\"", NULL },
        { "subids", "", NULL, NULL },
        OUTSIDE("65535:2"),
        OUTSIDE("2147352575:2"),
        OUTSIDE("65536:2147287041"),
        OUTSIDE("4294967295:4294967295"),
        NOT_A_RANGE("100000"),
        NOT_A_RANGE("100000:"),
        NOT_A_RANGE(":65536"),
        NOT_A_RANGE("100000:65536:1"),
        NOT_A_RANGE("100000-65536"),
        NOT_A_RANGE("100000: 65536"),
        NOT_A_RANGE("4294967296:1"),
        NOT_A_RANGE("11111111111111111111111111111:1"),
        { "subids", "100000:0", NULL,
          "\"100000:0\" has no ids; use a count of 65536, or \"\" for none" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_limits(void **state)
{
#define RANGE(option, text, range)                                                                 \
    { option, text, NULL, "\"" text "\" is out of range; use " range ", or \"infinity\"" }
#define NOT_A_NUMBER(text)                                                                         \
    { "limits.tasks", text, NULL, "\"" text "\" is not a number; or use \"infinity\"" }
#define NOT_A_SIZE(text)                                                                           \
    { "limits.memory", text, NULL,                                                                 \
      "\"" text "\" is not a size in bytes, K, M, G or T, as in \"8G\"; or use \"infinity\"" }
#define NOT_A_TIME(text)                                                                           \
    { "limits.runtime", text, NULL,                                                                \
      "\"" text "\" is not a time in s, min, h or d, as in \"6h\"; or use \"infinity\"" }
    static const struct sample samples[] = {
        { "limits.tasks", "16", "16", NULL },
        { "limits.tasks", "4194304", "4194304", NULL },
        { "limits.tasks", "infinity", "\"infinity\"", NULL },
        RANGE("limits.tasks", "15", "16 to 4194304"),
        RANGE("limits.tasks", "4194305", "16 to 4194304"),
        RANGE("limits.tasks", "18446744073709551614", "16 to 4194304"),
        NOT_A_NUMBER("18446744073709551615"), /* what CONFIG_UNLIMITED is */
        NOT_A_NUMBER("10%"),
        NOT_A_NUMBER("1K"),
        NOT_A_NUMBER("-1"),
        NOT_A_NUMBER(""),
        NOT_A_NUMBER("Infinity"),
        { "limits.sessions", "1", "1", NULL },
        { "limits.sessions", "8192", "8192", NULL },
        RANGE("limits.sessions", "0", "1 to 8192"),
        RANGE("limits.sessions", "8193", "1 to 8192"),
        { "limits.open-files", "64", "64", NULL },
        { "limits.open-files", "1048576", "1048576", NULL },
        RANGE("limits.open-files", "63", "64 to 1048576"),
        RANGE("limits.open-files", "1048577", "64 to 1048576"),
        { "limits.memory", "64M", "\"64M\"", NULL },
        { "limits.memory", "67108864", "\"64M\"", NULL },
        { "limits.memory", "67108865", "67108865", NULL },
        { "limits.memory", "1536M", "\"1536M\"", NULL },
        { "limits.memory", "2048M", "\"2G\"", NULL },
        { "limits.memory", "4194304T", "\"4194304T\"", NULL },
        { "limits.memory", "infinity", "\"infinity\"", NULL },
        RANGE("limits.memory", "67108863", "\"64M\" to \"4194304T\""),
        RANGE("limits.memory", "0", "\"64M\" to \"4194304T\""),
        RANGE("limits.memory", "4194305T", "\"64M\" to \"4194304T\""),
        NOT_A_SIZE("16777216T"), /* 2^64 */
        NOT_A_SIZE("8GB"),
        NOT_A_SIZE("8g"),
        NOT_A_SIZE("8 G"),
        NOT_A_SIZE("0.5G"),
        NOT_A_SIZE("50%"),
        NOT_A_SIZE("G"),
        { "limits.runtime", "1", "\"1s\"", NULL },
        { "limits.runtime", "1s", "\"1s\"", NULL },
        { "limits.runtime", "90s", "\"90s\"", NULL },
        { "limits.runtime", "60s", "\"1min\"", NULL },
        { "limits.runtime", "6h", "\"6h\"", NULL },
        { "limits.runtime", "48h", "\"2d\"", NULL },
        { "limits.runtime", "3650d", "\"3650d\"", NULL },
        { "limits.runtime", "infinity", "\"infinity\"", NULL },
        RANGE("limits.runtime", "0", "\"1s\" to \"3650d\""),
        RANGE("limits.runtime", "3651d", "\"1s\" to \"3650d\""),
        NOT_A_TIME("18446744073710s"), /* 2^64 microseconds */
        NOT_A_TIME("6hours"),
        NOT_A_TIME("6m"),
        NOT_A_TIME("1h 30min"),
        NOT_A_TIME("500ms"),
        { "limits.cpu-weight", "1", "1", NULL },
        { "limits.cpu-weight", "10000", "10000", NULL },
        { "limits.cpu-weight", "default", "\"default\"", NULL },
        { "limits.cpu-weight", "0", NULL, "\"0\" is out of range; use 1 to 10000, or \"default\"" },
        { "limits.io-weight", "10001", NULL,
          "\"10001\" is out of range; use 1 to 10000, or \"default\"" },
        { "limits.cpu-weight", "idle", NULL, "\"idle\" is not a number; or use \"default\"" },
        { "limits.cpu-weight", "infinity", NULL,
          "\"infinity\" is not a number; or use \"default\"" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_endpoints(void **state)
{
#define NOT_A_PAIR(text)                                                                           \
    { "egress.direct", text, NULL,                                                                 \
      "\"" text "\" is not an address and a port; write A.B.C.D:PORT or [IPV6]:PORT" }
#define NOT_AN_ADDRESS(text)                                                                       \
    { "egress.direct", text, NULL,                                                                 \
      "\"" text "\" is not an address in numbers, and names are not looked up; write "             \
      "A.B.C.D:PORT or [IPV6]:PORT" }
    static const struct sample samples[] = {
        { "egress.direct", "100.64.0.7:8443", "\"100.64.0.7:8443\"", NULL },
        { "egress.direct", "127.0.0.1:65535", "\"127.0.0.1:65535\"", NULL },
        { "egress.direct", "[fd00::1]:1", "\"[fd00::1]:1\"", NULL },
        { "egress.direct", "[FD00:0::0:1]:1", "\"[fd00::1]:1\"", NULL },
        NOT_A_PAIR("100.64.0.7"),
        NOT_A_PAIR("[fd00::1]"),
        NOT_A_PAIR("[fd00::1:80"),
        NOT_A_PAIR("[:80"),
        NOT_A_PAIR("["),
        NOT_A_PAIR(""),
        NOT_AN_ADDRESS("fd00::1:80"),
        NOT_AN_ADDRESS("example.org:443"),
        NOT_AN_ADDRESS("1.2.3:80"),
        NOT_AN_ADDRESS("1.2.3.4.5:80"),
        NOT_AN_ADDRESS("01.2.3.4:80"),
        NOT_AN_ADDRESS("*:80"),
        NOT_AN_ADDRESS(":80"),
        NOT_AN_ADDRESS("[]:80"),
        NOT_AN_ADDRESS("[1.2.3.4]:80"),
        NOT_AN_ADDRESS("[fe80::1%eth0]:80"),
        NOT_AN_ADDRESS("1.2.3.4/8:80"),
        NOT_AN_ADDRESS("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff::]:80"),
        { "egress.direct", "1.2.3.4:0", NULL, "port \"0\" is out of range; use 1 to 65535" },
        { "egress.direct", "1.2.3.4:65536", NULL,
          "port \"65536\" is out of range; use 1 to 65535" },
        { "egress.direct", "1.2.3.4:", NULL, "port \"\" is out of range; use 1 to 65535" },
        { "egress.direct", "0.0.0.0:80", NULL,
          "\"0.0.0.0:80\" stands for this host; write the address itself" },
        { "egress.direct", "[::]:80", NULL,
          "\"[::]:80\" stands for this host; write the address itself" },
        { "egress.direct", "224.0.0.1:80", NULL,
          "\"224.0.0.1:80\" is not the address of one host; use another" },
        { "egress.direct", "255.255.255.255:80", NULL,
          "\"255.255.255.255:80\" is not the address of one host; use another" },
        { "egress.direct", "[ff02::1]:80", NULL,
          "\"[ff02::1]:80\" is not the address of one host; use another" },
        { "egress.direct", "[::ffff:1.2.3.4]:80", NULL,
          "\"[::ffff:1.2.3.4]:80\" is an IPv4 address in IPv6 clothes; write A.B.C.D:PORT" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_ports(void **state)
{
    static const struct sample samples[] = {
        { "local.allow-tcp-ports", "1", "1", NULL },
        { "local.allow-tcp-ports", "65535", "65535", NULL },
        { "local.allow-tcp-ports", "0", NULL, "port \"0\" is out of range; use 1 to 65535" },
        { "local.allow-tcp-ports", "65536", NULL,
          "port \"65536\" is out of range; use 1 to 65535" },
        { "local.allow-tcp-ports", "http", NULL, "port \"http\" is out of range; use 1 to 65535" },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_text_is_quoted(void **state)
{
    static const struct sample samples[] = {
        { "env", "A=\"b\\c$d${e}'\xc3\xa4", "\"A=\\\"b\\\\c\\$d\\${e}'\xc3\xa4\"", NULL },
        { "egress.policy", "/etc/a b", "\"/etc/a b\"", NULL },
        { "egress.policy", "", NULL, NULL },
        { 0 },
    };

    (void)state;
    check_samples(samples);
}

static void test_lists_have_an_end(void **state)
{
    const struct option *texts = find("env"), *ports = find("local.allow-tcp-ports");
    struct config_sandbox sandbox = { 0 };
    struct reason reason;
    char text[32];

    (void)state;
    for (unsigned i = 1; i <= 1024; i++) {
        (void)snprintf(text, sizeof text, "A%u=1", i);
        assert_int_equal(texts->type->read(texts, text, &sandbox, &reason), 0);
        (void)snprintf(text, sizeof text, "%u", i);
        assert_int_equal(ports->type->read(ports, text, &sandbox, &reason), 0);
    }
    /* What the list has already is no entry more. */
    assert_int_equal(texts->type->read(texts, "A7=1", &sandbox, &reason), -EALREADY);
    assert_int_equal(ports->type->read(ports, "7", &sandbox, &reason), -EALREADY);
    assert_int_equal(texts->type->read(texts, "B=1", &sandbox, &reason), -EINVAL);
    assert_string_equal(reason.text, "more than 1024 entries; remove some");
    assert_int_equal(ports->type->read(ports, "2000", &sandbox, &reason), -EINVAL);
    assert_string_equal(reason.text, "more than 1024 entries; remove some");
    assert_int_equal(texts->type->count(texts, &sandbox), 1024);
    assert_int_equal(sandbox.local.n_allow_tcp_ports, 1024);
    options_clear(&sandbox, options_first_of_sandbox(), n_options);
    assert_null(sandbox.env);
    assert_null(sandbox.local.allow_tcp_ports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_edges),   cmocka_unit_test(test_bool),
        cmocka_unit_test(test_port),           cmocka_unit_test(test_uid),
        cmocka_unit_test(test_id_range),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_endpoints),      cmocka_unit_test(test_ports),
        cmocka_unit_test(test_text_is_quoted), cmocka_unit_test(test_lists_have_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
