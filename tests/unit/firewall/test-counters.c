/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/counters.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void on_counter(uid_t uid, enum counter counter, uint64_t packets, void *userdata)
{
    char *text = userdata;
    const size_t used = strlen(text);

    (void)snprintf(text + used, 256 - used, "%u %s %llu\n", uid, counter_names[counter],
                   (unsigned long long)packets);
}

static void parses(const char *json, const char *expected)
{
    char got[256] = "";

    assert_int_equal(counters_parse(json, on_counter, got), 0);
    assert_string_equal(got, expected);
}

#define COUNTER(name, packets)                                                                     \
    "{\"counter\": {\"family\": \"inet\", \"name\": \"" name "\", \"table\": \"pam_sandbox\", "    \
    "\"handle\": 9, \"packets\": " packets ", \"bytes\": 7}}"

static void test_counters(void **state)
{
    (void)state;
    parses("{\"nftables\": [{\"metainfo\": {\"version\": \"1.1.3\"}}, " COUNTER(
               "proxy_59000", "12") ", " COUNTER("refused_59000",
                                                 "18446744073709551615") ", " COUNTER("direct_1000",
                                                                                      "0") "]}",
           "59000 proxy 12\n59000 refused 18446744073709551615\n1000 direct 0\n");
    parses("{\"nftables\": []}", "");
}

static void test_others(void **state)
{
    static const char *const wrong[] = { "", "[]", "{}", "{\"nftables\": 1}", "{\"nftables\": [" };

    (void)state;
    parses("{\"nftables\": [1, {}, " COUNTER("proxy", "1") ", " COUNTER("proxy_", "1") ", " COUNTER(
               "proxy_1x", "1") ", " COUNTER("other_1", "1") ", " COUNTER("proxy_2", "\"3\"") "]}",
           "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(counters_parse(wrong[i], on_counter, NULL), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
