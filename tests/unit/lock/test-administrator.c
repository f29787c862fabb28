/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "lock/lock.h"
#include "tests/unit/conf/tree.h"

static struct config config;
static unsigned n_messages;

static void count(const char *message, void *userdata)
{
    (void)userdata;
    assert_non_null(strstr(message, "one-way = true"));
    n_messages++;
}

static int check(const struct tree *tree)
{
    n_messages = 0;
    return lock_check_administrator(tree->root, &config, count, NULL);
}

static void allowed(const struct tree *tree)
{
    assert_int_equal(check(tree), 0);
    assert_int_equal(n_messages, 0);
}

static void refused(const struct tree *tree)
{
    assert_int_equal(check(tree), -EPERM);
    assert_int_equal(n_messages, 1);
}

#define SHADOW(root, anna, runner)                                                                 \
    "root:" root "\nanna:" anna "\nrunner:" runner "\ncarl:$y$x:20000:0:99999:7:::\n"
#define NONE "!*:20000:0:99999:7:::"
#define SOME "$y$j9T$salt$hash:20000:0:99999:7:::"

static int setup(void **state)
{
    if (tree_setup(state) != 0)
        return -1;
    config = (struct config){ .host = { .lock_user = (char *)"runner" } };
    tree_write(*state, "/etc/passwd",
               "root:x:0:0::/root:/bin/bash\n"
               "anna:x:1000:1000::/home/anna:/bin/bash\n"
               "runner:x:1001:1001::/home/runner:/bin/bash\n"
               "runner2:x:1001:1001::/home/runner:/bin/bash\n"
               "carl:x:1002:1002::/home/carl:/bin/bash\n");
    tree_write(*state, "/etc/group", "root:x:0:\nsudo:x:27:anna,runner,runner2\ncarl:x:1002:\n");
    tree_write(*state, "/etc/shadow", SHADOW(NONE, NONE, NONE));
    return 0;
}

/* The one who is locked has all there is, and carl is in no group. */
static void test_nobody_is_left(void **state)
{
    refused(*state);
    tree_write(*state, "/etc/shadow", SHADOW(NONE, NONE, SOME) "runner2:" SOME "\n");
    tree_write(*state, "/home/runner/.ssh/authorized_keys", "ssh-ed25519 AAAA\n");
    tree_write(*state, "/home/carl/.ssh/authorized_keys", "ssh-ed25519 AAAA\n");
    refused(*state);
    assert_int_equal(unlink(tree_path(*state, "/etc/shadow")), 0);
    assert_int_equal(unlink(tree_path(*state, "/etc/group")), 0);
    refused(*state);
}

static void test_root_is_left(void **state)
{
    tree_write(*state, "/etc/shadow", SHADOW(SOME, NONE, NONE));
    allowed(*state);
    tree_write(*state, "/etc/shadow", SHADOW("!$y$hash:20000:0:99999:7:::", NONE, NONE));
    refused(*state);
    tree_write(*state, "/root/.ssh/authorized_keys", "# none\n\n  # none\n");
    refused(*state);
    tree_write(*state, "/root/.ssh/authorized_keys", "# mine\n ssh-ed25519 AAAA\n");
    allowed(*state);
    tree_write(*state, "/etc/passwd",
               "root:x:0:0::/root:/usr/sbin/nologin\nrunner:x:1001:1001::/home/runner:/bin/bash\n");
    refused(*state);
}

static void test_somebody_is_left(void **state)
{
    tree_write(*state, "/etc/shadow", SHADOW(NONE, SOME, NONE));
    allowed(*state);
    /* shadow(5), days since 1970: expired long ago, and not yet. */
    tree_write(*state, "/etc/shadow", SHADOW(NONE, "$y$x:20000:0:99999:7::1000:", NONE));
    refused(*state);
    tree_write(*state, "/etc/shadow", SHADOW(NONE, "$y$x:20000:0:99999:7::999999:", NONE));
    allowed(*state);
    tree_write(*state, "/etc/shadow", SHADOW(NONE, NONE, NONE));
    tree_write(*state, "/home/anna/.ssh/authorized_keys2", "ssh-ed25519 AAAA\n");
    allowed(*state);
    tree_write(*state, "/etc/group", "root:x:0:\nusers:x:27:anna\n");
    refused(*state);
    /* By the group that passwd(5) names. */
    tree_write(*state, "/etc/group", "wheel:x:1000:\n");
    allowed(*state);
}

/* What is in a home is its user's choice, who must not make the check wait or fail. */
static void test_odd_homes(void **state)
{
    tree_write(*state, "/home/anna/.ssh/x", "");
    assert_int_equal(mkfifo(tree_path(*state, "/home/anna/.ssh/authorized_keys"), 0600), 0);
    refused(*state);
}

static void test_one_way(void **state)
{
    config.host.one_way = true;
    allowed(*state);
    config.host.one_way = false;
    config.host.lock_user = NULL;
    allowed(*state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_nobody_is_left), TEST(test_root_is_left), TEST(test_somebody_is_left),
        TEST(test_odd_homes),      TEST(test_one_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
