/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/lock.h"
#include "tests/unit/conf/tree.h"

#define KEPT STATE_DIR "/" LOCK_USER_NAME
#define LINE "runner:x:1001:1001::/home/runner:/bin/bash\n"

static const char *const all[] = { LOCK_SUDOERS_FILE, LOCK_POLKIT_FILE, LOCK_USER_FILE, KEPT };
#define N_ALL (sizeof all / sizeof *all)

static struct config config;
static char said[1024];

static void remember(const char *message, void *userdata)
{
    (void)userdata;
    (void)snprintf(said, sizeof said, "%s", message);
}

static int setup(void **state)
{
    if (tree_setup(state) != 0)
        return -1;
    config = (struct config){ .host = { .lock_user = (char *)"runner" } };
    tree_write(*state, "/etc/passwd", "root:x:0:0::/root:/bin/bash\n" LINE);
    *said = '\0';
    return 0;
}

static char *content(struct tree *tree, const char *path)
{
    _cleanup_fclose_ FILE *file = fopen(tree_path(tree, path), "re");
    char *text = NULL;
    size_t size = 0;

    if (file)
        assert_true(getdelim(&text, &size, '\0', file) > 0);
    return text;
}

static void expect_file(struct tree *tree, const char *path, mode_t mode, const char *part)
{
    _cleanup_free_ char *text = content(tree, path);
    struct stat st;

    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("%s: no \"%s\" in \"%s\"", path, part, text);
    assert_int_equal(stat(tree_path(tree, path), &st), 0);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void expect_none(struct tree *tree, const char *path)
{
    assert_int_equal(access(tree_path(tree, path), F_OK), -1);
}

static void test_written(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(lock_write(tree->root, &config, remember, NULL), 0);
    assert_string_equal(said, "");
    expect_file(tree, LOCK_SUDOERS_FILE, 0440,
                "\"runner\" ALL = (ALL : ALL) !ALL\n#1001 ALL = (ALL : ALL) !ALL\n");
    expect_file(tree, LOCK_POLKIT_FILE, 0644, "if ([\"runner\"].indexOf(subject.user) >= 0)\n");
    expect_file(tree, LOCK_USER_FILE, 0644, LINE);
    expect_file(tree, KEPT, 0644, LINE);

    /* Another one takes the place, by all names. */
    tree_write(tree, "/etc/passwd", "a:x:1002:1::/:\n" LINE "b:x:1002:1::/:\n");
    config.host.lock_user = (char *)"b";
    assert_int_equal(lock_write(tree->root, &config, remember, NULL), 0);
    expect_file(tree, LOCK_SUDOERS_FILE, 0440,
                "\"b\" ALL = (ALL : ALL) !ALL\n\"a\" ALL = (ALL : ALL) !ALL\n#1002 ALL");
    expect_file(tree, LOCK_POLKIT_FILE, 0644, "if ([\"b\", \"a\"].indexOf(");
    expect_file(tree, LOCK_USER_FILE, 0644, "a:x:1002:1::/:\nb:x:1002:1::/:\n");
}

static void test_taken_away(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(lock_remove(tree->root), 0);
    assert_int_equal(lock_write(tree->root, &config, remember, NULL), 0);
    config.host.lock_user = NULL;
    assert_int_equal(lock_write(tree->root, &config, remember, NULL), 0);
    for (size_t i = 0; i < N_ALL; i++)
        expect_none(tree, all[i]);
}

static void test_kept_over_a_boot(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(lock_keep(tree->root, remember, NULL), 0);
    assert_string_equal(said, "");
    expect_none(tree, LOCK_USER_FILE);

    assert_int_equal(lock_write(tree->root, &config, remember, NULL), 0);
    for (size_t i = 0; i + 1 < N_ALL; i++)
        assert_int_equal(unlink(tree_path(tree, all[i])), 0);
    assert_int_equal(lock_keep(tree->root, remember, NULL), 0);
    assert_string_equal(said, "user \"runner\" stays locked");
    expect_file(tree, LOCK_SUDOERS_FILE, 0440, "\"runner\" ALL");
    expect_file(tree, LOCK_POLKIT_FILE, 0644, "runner");
    expect_file(tree, LOCK_USER_FILE, 0644, LINE);
}

static void test_nobody_there(void **state)
{
    struct tree *tree = *state;

    config.host.lock_user = (char *)"nosuch";
    assert_int_equal(lock_write(tree->root, &config, remember, NULL), -ENOENT);
    assert_string_equal(said, "cannot lock \"nosuch\", who is not in /etc/passwd");
    for (size_t i = 0; i < N_ALL; i++)
        expect_none(tree, all[i]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_written),
        TEST(test_taken_away),
        TEST(test_kept_over_a_boot),
        TEST(test_nobody_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
