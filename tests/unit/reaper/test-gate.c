/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* In a mount namespace with a /run of its own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "reaper/gate.h"

static void test_sessions_pass_together(void **state)
{
    (void)state;
    _cleanup_close_ int first = gate_enter(59000, 0);
    _cleanup_close_ int second = gate_enter(59000, 0);
    assert_true(first >= 0);
    assert_true(second >= 0);
}

static void test_reaper_waits_for_sessions(void **state)
{
    (void)state;
    int session = gate_enter(59000, 0);
    assert_true(session >= 0);
    assert_int_equal(gate_shut(59000, 0), -ETIMEDOUT);
    assert_int_equal(gate_shut(59000, 20), -ETIMEDOUT);
    close(session);
    _cleanup_close_ int reaper = gate_shut(59000, 0);
    assert_true(reaper >= 0);
}

static void test_session_waits_for_reaper(void **state)
{
    (void)state;
    int reaper = gate_shut(59000, 0);
    assert_true(reaper >= 0);
    assert_int_equal(gate_enter(59000, 0), -ETIMEDOUT);
    assert_int_equal(gate_enter(59000, 20), -ETIMEDOUT);
    close(reaper);
    _cleanup_close_ int session = gate_enter(59000, 0);
    assert_true(session >= 0);
}

static void test_sandboxes_do_not_wait_for_each_other(void **state)
{
    (void)state;
    _cleanup_close_ int reaper = gate_shut(59000, 0);
    _cleanup_close_ int other = gate_enter(59001, 0);
    assert_true(reaper >= 0);
    assert_true(other >= 0);
}

/* Neither may be held by a program that the session runs. */
static void test_not_inherited(void **state)
{
    (void)state;
    _cleanup_close_ int session = gate_enter(59000, 0);
    assert_int_equal(fcntl(session, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

static void test_closed_to_others(void **state)
{
    struct stat st;

    (void)state;
    _cleanup_close_ int session = gate_enter(59000, 0);
    assert_true(session >= 0);
    assert_int_equal(stat(GATE_DIR, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(fstat(session, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void test_link_is_not_followed(void **state)
{
    (void)state;
    close(gate_enter(59000, 0));
    assert_int_equal(symlink("/dev/null", GATE_DIR "/59009"), 0);
    assert_int_equal(gate_enter(59009, 0), -ELOOP);
}

static void test_remove(void **state)
{
    (void)state;
    close(gate_enter(59000, 0));
    assert_int_equal(access(GATE_DIR "/59000", F_OK), 0);
    assert_int_equal(gate_remove(59000), 0);
    assert_int_equal(access(GATE_DIR "/59000", F_OK), -1);
    assert_int_equal(gate_remove(59000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_pass_together),
        cmocka_unit_test(test_reaper_waits_for_sessions),
        cmocka_unit_test(test_session_waits_for_reaper),
        cmocka_unit_test(test_sandboxes_do_not_wait_for_each_other),
        cmocka_unit_test(test_not_inherited),
        cmocka_unit_test(test_closed_to_others),
        cmocka_unit_test(test_link_is_not_followed),
        cmocka_unit_test(test_remove),
    };

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 77; /* meson: skipped */
    if (mount("tmpfs", "/run", "tmpfs", 0, "mode=0755") < 0 || mkdir(RUN_DIR, 0755) < 0)
        return 1;
    umask(0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
