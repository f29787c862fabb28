/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/resource.h>

#include "conf/cleanup.h"
#include "pam_sandbox/limits.h"

static char *format(const char *key, const struct config_limits *limits)
{
    char *value;

    for (const struct limits_item *item = limits_items; item->key; item++)
        if (strcmp(item->key, key) == 0) {
            assert_int_equal(limits_format(item, limits, &value), 0);
            return value;
        }
    fail_msg("no item %s", key);
    return NULL;
}

static void formatted_as_pam_systemd_reads(void **state)
{
    const struct config_limits limits = {
        .tasks = 4096,
        .memory = UINT64_C(8) << 30,
        .cpu_weight = 100,
        .io_weight = 1,
        .runtime_usec = UINT64_C(21600000000),
    };
    static const char *const expected[][2] = {
        { "systemd.tasks_max", "4096" },
        { "systemd.memory_max", "8589934592" },
        { "systemd.cpu_weight", "100" },
        { "systemd.io_weight", "1" },
        { "systemd.runtime_max_sec", "21600000000us" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        _cleanup_free_ char *value = format(expected[i][0], &limits);

        assert_string_equal(value, expected[i][1]);
    }
}

static void no_limit_is_no_item(void **state)
{
    const struct config_limits limits = {
        .tasks = CONFIG_UNLIMITED,
        .memory = CONFIG_UNLIMITED,
        .cpu_weight = CONFIG_UNLIMITED,
        .io_weight = CONFIG_UNLIMITED,
        .runtime_usec = CONFIG_UNLIMITED,
    };

    (void)state;
    for (const struct limits_item *item = limits_items; item->key; item++) {
        char *value = (char *)"not touched";

        assert_int_equal(limits_format(item, &limits, &value), 0);
        assert_null(value);
    }
}

static void open_files(void **state)
{
    const struct config_limits none = { .open_files = CONFIG_UNLIMITED };
    const struct config_limits few = { .open_files = 100 };
    struct rlimit before, after;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(limits_set_process(&none), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(limits_set_process(&few), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
    assert_int_equal(after.rlim_cur, 100);
    assert_int_equal(after.rlim_max, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatted_as_pam_systemd_reads),
        cmocka_unit_test(no_limit_is_no_item),
        cmocka_unit_test(open_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
