/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/mode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_bpf_is_there(void **state)
{
    (void)state;
    assert_int_equal(
        policy_mode_of("lockdown,capability,landlock,yama,apparmor,tomoyo,bpf,ipe,ima,evm"),
        MODE_LSM);
    assert_int_equal(policy_mode_of("bpf"), MODE_LSM);
    assert_int_equal(policy_mode_of("bpf,yama"), MODE_LSM);
    assert_int_equal(policy_mode_of("capability,bpf"), MODE_LSM);
    assert_int_equal(policy_mode_of("capability,bpf\n"), MODE_LSM);
    assert_int_equal(policy_mode_of(",,bpf,,"), MODE_LSM);
}

static void test_bpf_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(policy_mode_of(""), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of("\n"), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of(","), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of("lockdown,capability,landlock,yama,apparmor"), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of("bpfx,xbpf,bp,b p f"), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of("BPF"), MODE_FMOD_RET);
    assert_int_equal(policy_mode_of("bpf x"), MODE_FMOD_RET);
}

static void test_names_of_programs(void **state)
{
    (void)state;
    assert_string_equal(policy_mode_prefix(MODE_LSM), "lsm_");
    assert_string_equal(policy_mode_prefix(MODE_FMOD_RET), "fmod_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bpf_is_there),
        cmocka_unit_test(test_bpf_is_not_there),
        cmocka_unit_test(test_names_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
