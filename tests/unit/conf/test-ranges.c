/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tree.h"

#define SANDBOX(name, uid, subids)                                                                 \
    "sandbox \"" name "\" {\n uid = " uid "\n subids = \"" subids "\"\n}\n"

static void test_neighbours(void **state)
{
    tree_expect(*state,
                SANDBOX("a", "1000", "100000:65536") SANDBOX("b", "1001", "165536:65536")
                    SANDBOX("c", "1002", "99999:1") SANDBOX("d", "1003", ""),
                "");
}

static void test_the_same_uid(void **state)
{
    tree_expect(*state, SANDBOX("b", "1000", "") SANDBOX("a", "1000", "") SANDBOX("c", "1000", ""),
                "2: uid: sandbox \"b\" has ids of sandbox \"a\" (uid 1000); choose others\n"
                "10: uid: sandbox \"c\" has ids of sandbox \"a\" (uid 1000); choose others\n");
}

static void test_by_one_id(void **state)
{
    tree_expect(
        *state, SANDBOX("a", "1000", "100000:65536") SANDBOX("b", "1001", "165535:65536"),
        "7: subids: sandbox \"b\" has ids of sandbox \"a\" (subids 100000 to 165535); choose "
        "others\n");
}

static void test_the_same_range(void **state)
{
    tree_expect(
        *state, SANDBOX("a", "1000", "100000:65536") SANDBOX("b", "1001", "100000:65536"),
        "7: subids: sandbox \"b\" has ids of sandbox \"a\" (subids 100000 to 165535); choose "
        "others\n");
}

/* The short one between does not hide the long one from what follows. */
static void test_one_around_others(void **state)
{
    tree_expect(
        *state,
        SANDBOX("a", "1000", "100000:1000000") SANDBOX("b", "1001", "200000:10")
            SANDBOX("c", "1002", "300000:10") SANDBOX("d", "1003", "1100000:10"),
        "7: subids: sandbox \"b\" has ids of sandbox \"a\" (subids 100000 to 1099999); choose "
        "others\n"
        "11: subids: sandbox \"c\" has ids of sandbox \"a\" (subids 100000 to 1099999); "
        "choose others\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_neighbours),     TEST(test_the_same_uid),      TEST(test_by_one_id),
        TEST(test_the_same_range), TEST(test_one_around_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
