/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "lock/user.h"

static int read_text(const char *text, const char *name, struct lock_user *user)
{
    _cleanup_fclose_ FILE *file = fmemopen((char *)text, strlen(text), "r");

    assert_non_null(file);
    return lock_user_read(file, name, user);
}

#define USERS                                                                                      \
    "root:x:0:0:root:/root:/bin/bash\n"                                                            \
    "alias:x:1001:1001::/:/bin/sh\n"                                                               \
    "runner:x:1001:1002:CI:/home/runner:/bin/bash\n"                                               \
    "other:x:1002:1002::/:/bin/sh\n"

static void test_all_names_of_the_uid(void **state)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };

    (void)state;
    assert_int_equal(read_text(USERS, "runner", &user), 1);
    assert_int_equal(user.uid, 1001);
    assert_int_equal(user.gid, 1002);
    assert_string_equal(user.names[0], "runner");
    assert_string_equal(user.names[1], "alias");
    assert_null(user.names[2]);
    assert_string_equal(user.lines, "alias:x:1001:1001::/:/bin/sh\n"
                                    "runner:x:1001:1002:CI:/home/runner:/bin/bash\n");
}

static void test_the_first(void **state)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };

    (void)state;
    assert_int_equal(read_text("a:x:5:6::/:\n", NULL, &user), 1);
    assert_string_equal(user.names[0], "a");
    assert_int_equal(user.uid, 5);
}

static void test_nobody(void **state)
{
    struct lock_user user = { 0 };

    (void)state;
    assert_int_equal(read_text(USERS, "run", &user), 0);
    assert_int_equal(read_text("+runner::1001:1001:::\n", "runner", &user), 0);
    assert_int_equal(read_text("+runner::1001:1001:::\n", NULL, &user), 0);
    assert_int_equal(read_text("\n", NULL, &user), 0);
    assert_null(user.names);
}

static void test_subordinate_ids(void **state)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    _cleanup_free_ struct config_id_range *ids = NULL;
    static const char text[] = "other:200000:65536\nrunner:100000:65536\nalias:300000:10\n"
                               "1001:100000:65536\nrunner:100010:5\nrunner:0:0\nrunner:5\n"
                               "runner:-1:5\nrunner2:5:5\n10010:5:5\nrunner:4294967290:100\n";
    _cleanup_fclose_ FILE *file = fmemopen((char *)text, strlen(text), "r");
    size_t n = 0;

    (void)state;
    assert_int_equal(read_text(USERS, "runner", &user), 1);
    assert_int_equal(lock_user_ranges_in(&user, file, &ids, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(ids[0].start, 100000);
    assert_int_equal(ids[0].count, 65536);
    assert_int_equal(ids[1].start, 300000);
    assert_int_equal(ids[1].count, 10);
    assert_int_equal(ids[2].start, 4294967290);
    assert_int_equal(ids[2].count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_names_of_the_uid),
        cmocka_unit_test(test_the_first),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_subordinate_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
