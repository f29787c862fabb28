/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* On a directory tree that looks like cgroups: what is killed is what "1" was written to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "reaper/cgroup.h"

static char directory[64];
static int users;

static void write_file(const char *name, const char *text)
{
    _cleanup_close_ int fd = openat(users, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void make_unit(const char *unit, bool populated)
{
    char name[256];

    assert_int_equal(mkdirat(users, unit, 0700), 0);
    snprintf(name, sizeof(name), "%s/cgroup.events", unit);
    write_file(name, populated ? "populated 1\nfrozen 0\n" : "populated 0\nfrozen 0\n");
    snprintf(name, sizeof(name), "%s/cgroup.kill", unit);
    write_file(name, "");
}

static bool is_killed(const char *unit)
{
    char name[256], text[8] = { 0 };

    snprintf(name, sizeof(name), "%s/cgroup.kill", unit);
    _cleanup_close_ int fd = openat(users, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof(text) - 1) >= 0);
    return strcmp(text, "1") == 0;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test-cgroup-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    users = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return users < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    close(users);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

static void test_no_slice(void **state)
{
    (void)state;
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 0);
    assert_int_equal(cgroup_has_slice(users, 59000), 0);
}

static void test_has_slice(void **state)
{
    (void)state;
    make_unit("user-59000.slice", false);
    assert_int_equal(cgroup_has_slice(users, 59000), 1);
    assert_int_equal(cgroup_has_slice(users, 5900), 0);
}

/* systemd's process that unmounts /run/user/UID, and private-tmp, run in the slice as root. */
static void test_runtime_dir_service_lives(void **state)
{
    (void)state;
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/user-runtime-dir@59000.service", true);
    make_unit("user-59000.slice/session-1.scope", true);
    make_unit("user-59000.slice/user@59000.service", true);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 1);
    assert_false(is_killed("user-59000.slice"));
    assert_false(is_killed("user-59000.slice/user-runtime-dir@59000.service"));
    assert_true(is_killed("user-59000.slice/session-1.scope"));
    assert_true(is_killed("user-59000.slice/user@59000.service"));
}

static void test_runtime_dir_service_alone_is_nothing(void **state)
{
    (void)state;
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/user-runtime-dir@59000.service", true);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 0);
}

/* A unit of that name of another uid is none of systemd's. */
static void test_other_runtime_dir_service(void **state)
{
    (void)state;
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/user-runtime-dir@5900.service", true);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 1);
    assert_true(is_killed("user-59000.slice/user-runtime-dir@5900.service"));
}

static void test_other_users_live(void **state)
{
    (void)state;
    make_unit("user-1000.slice", true);
    make_unit("user-1000.slice/session-1.scope", true);
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/session-2.scope", true);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 1);
    assert_false(is_killed("user-1000.slice/session-1.scope"));
}

static void test_empty_is_not_killed(void **state)
{
    (void)state;
    make_unit("user-59000.slice", false);
    make_unit("user-59000.slice/session-1.scope", false);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), 0);
    assert_false(is_killed("user-59000.slice/session-1.scope"));
}

static void test_only_looking(void **state)
{
    (void)state;
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/session-1.scope", true);
    assert_int_equal(cgroup_visit_slice(users, 59000, false), 1);
    assert_false(is_killed("user-59000.slice/session-1.scope"));
}

/* One that fails is reported, and does not keep the others alive. */
static void test_failure_saves_nobody(void **state)
{
    (void)state;
    make_unit("user-59000.slice", true);
    make_unit("user-59000.slice/session-1.scope", true);
    make_unit("user-59000.slice/session-2.scope", true);
    make_unit("user-59000.slice/session-3.scope", true);
    assert_int_equal(unlinkat(users, "user-59000.slice/session-2.scope/cgroup.kill", 0), 0);
    assert_int_equal(
        symlinkat("cgroup.kill", users, "user-59000.slice/session-2.scope/cgroup.kill"), 0);
    assert_int_equal(cgroup_visit_slice(users, 59000, true), -ELOOP);
    assert_true(is_killed("user-59000.slice/session-1.scope"));
    assert_true(is_killed("user-59000.slice/session-3.scope"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_slice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_has_slice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runtime_dir_service_lives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runtime_dir_service_alone_is_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_other_runtime_dir_service, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_users_live, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_is_not_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_looking, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failure_saves_nobody, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
