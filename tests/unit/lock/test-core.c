/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lock/core.h"

static void to_a_file(void **state)
{
    (void)state;
    assert_false(core_pattern_hands_on("core"));
    assert_false(core_pattern_hands_on("core.%p"));
    assert_false(core_pattern_hands_on("/var/crash/%e|%p@%h"));
}

static void to_nobody(void **state)
{
    (void)state;
    assert_false(core_pattern_hands_on(""));
    assert_false(core_pattern_hands_on("|/bin/false"));
}

static void to_somebody(void **state)
{
    (void)state;
    assert_true(core_pattern_hands_on("|/usr/lib/systemd/systemd-coredump %P %u"));
    assert_true(core_pattern_hands_on("|/bin/false-friend"));
    assert_true(core_pattern_hands_on("|"));
    assert_true(core_pattern_hands_on("@/run/coredump.socket"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_a_file),
        cmocka_unit_test(to_nobody),
        cmocka_unit_test(to_somebody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
