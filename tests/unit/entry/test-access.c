/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who may enter which sandbox. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "entry/access.h"

static char *none[] = { NULL };

static struct config_sandbox sandboxes[] = {
    { .name = (char *)"a",
      .uid = 59000,
      .subids = { 100000, 65536 },
      .allow_users = none,
      .allow_groups = none },
    { .name = (char *)"b", .uid = 59001, .allow_users = none, .allow_groups = none },
};

static struct config config = { .sandboxes = sandboxes, .n_sandboxes = 2 };

static struct access_grant grants[] = {
    { &sandboxes[0], false, 1000 },
    { &sandboxes[1], true, 200 },
    /* What a configuration cannot say, and would not be believed. */
    { &sandboxes[1], false, 59000 },
    { &sandboxes[1], false, 100005 },
};

static const struct access access_all = { .config = &config, .grants = grants, .n_grants = 4 };

static struct caller caller_of_uid(uid_t uid)
{
    return (struct caller){ .uid = uid, .pidfd = -1, .is_user = 1 };
}

static void test_users(void **state)
{
    struct caller runner = caller_of_uid(1000), other = caller_of_uid(1001);

    (void)state;
    assert_true(access_may_enter(&access_all, &runner, &sandboxes[0]));
    assert_false(access_may_enter(&access_all, &runner, &sandboxes[1]));
    assert_true(access_may_enter_any(&access_all, &runner));
    assert_false(access_may_enter(&access_all, &other, &sandboxes[0]));
    assert_false(access_may_enter_any(&access_all, &other));
}

static void test_groups(void **state)
{
    gid_t groups[] = { 7, 200 }, others[] = { 1000, 59001 };
    struct caller member = caller_of_uid(1001), other = caller_of_uid(1002);

    (void)state;
    member.groups = groups;
    member.n_groups = 2;
    other.groups = others; /* a user's number is no group's */
    other.n_groups = 2;
    assert_true(access_may_enter(&access_all, &member, &sandboxes[1]));
    assert_false(access_may_enter(&access_all, &member, &sandboxes[0]));
    assert_false(access_may_enter_any(&access_all, &other));

    /* A subordinate id of a member's, in a user namespace that kept the group. */
    member.uid = 500000;
    member.is_user = 0;
    assert_false(access_may_enter_any(&access_all, &member));
}

static void test_root(void **state)
{
    struct caller root = caller_of_uid(0);

    (void)state;
    assert_true(access_may_enter(&access_all, &root, &sandboxes[0]));
    assert_true(access_may_enter(&access_all, &root, &sandboxes[1]));
    assert_true(access_may_enter_any(&(struct access){ 0 }, &root));
    assert_false(access_may_enter(&(struct access){ 0 }, &root, &sandboxes[0]));
}

static void test_sandboxes_never(void **state)
{
    struct caller sandbox = caller_of_uid(59000), container = caller_of_uid(100005),
                  last = caller_of_uid(165535), beyond = caller_of_uid(165536);
    gid_t groups[] = { 200 };

    (void)state;
    sandbox.groups = container.groups = last.groups = beyond.groups = groups;
    sandbox.n_groups = container.n_groups = last.n_groups = beyond.n_groups = 1;
    assert_false(access_may_enter_any(&access_all, &sandbox));
    assert_false(access_may_enter_any(&access_all, &container));
    assert_false(access_may_enter_any(&access_all, &last));
    assert_true(access_may_enter_any(&access_all, &beyond));
}

static void test_nothing_in_force(void **state)
{
    struct caller runner = caller_of_uid(1000);
    struct access access = { 0 };

    (void)state;
    assert_int_equal(access_refresh(&access, "/proc/self/net", false), 0);
    assert_false(access_may_enter_any(&access, &runner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_users),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_sandboxes_never),
        cmocka_unit_test(test_nothing_in_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
