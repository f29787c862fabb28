/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/preempt.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_when_it_matters(void **state)
{
    (void)state;
    assert_false(preempt_matters(MODE_LSM, "6.12.118+deb13-cloud-amd64"));
    assert_false(preempt_matters(MODE_LSM, "6.2.0"));
    assert_false(preempt_matters(MODE_LSM, "7.0.1"));
    assert_true(preempt_matters(MODE_LSM, "6.1.0-40-amd64"));
    assert_true(preempt_matters(MODE_LSM, "5.15.0"));
    assert_true(preempt_matters(MODE_LSM, "something"));
    assert_true(preempt_matters(MODE_FMOD_RET, "6.12.118+deb13-cloud-amd64"));
    assert_true(preempt_matters(MODE_FMOD_RET, "6.1.0"));
}

static void test_what_is_built_in(void **state)
{
    (void)state;
    assert_int_equal(preempt_is_built_in("#1 SMP PREEMPT_DYNAMIC Debian 6.12.118-1"), -EAGAIN);
    assert_int_equal(preempt_is_built_in("#1 SMP PREEMPT_RT Debian 6.12.118-1"), 1);
    assert_int_equal(preempt_is_built_in("#1 SMP PREEMPT Debian 6.12.118-1"), 1);
    assert_int_equal(preempt_is_built_in("#1 SMP PREEMPT_LAZY 6.13"), 1);
    assert_int_equal(preempt_is_built_in("#1 SMP Debian 6.12.118-1"), 0);
    assert_int_equal(preempt_is_built_in(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when_it_matters),
        cmocka_unit_test(test_what_is_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
