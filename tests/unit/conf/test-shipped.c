/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two files that the package installs, whose paths are the arguments. */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "tree.h"

static const char *vendor, *admin;

static void install(const struct tree *tree, const char *from, const char *to)
{
    _cleanup_fclose_ FILE *file = fopen(from, "re");
    _cleanup_free_ char *text = NULL;
    size_t size = 0;

    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    tree_write(tree, to, text);
}

static void test_the_default_sandbox(void **state)
{
    struct tree *tree = *state;

    install(tree, vendor, CONFIG_VENDOR_FILE);
    install(tree, admin, CONFIG_ADMIN_FILE);
    tree_write(tree, "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n");
    tree_write(tree, "/etc/group", "root:x:0:\nkvm:x:104:\n");
    tree_write(tree, "/etc/subuid", "user:100000:65536\n");

    _cleanup_(config_freep) struct config *config = tree_load(tree, true, "");
    const struct config_sandbox *sandbox = &config->sandboxes[0];
    assert_int_equal(config->n_sandboxes, 1);
    assert_string_equal(sandbox->name, "sandbox");
    assert_int_equal(sandbox->uid, 59000);
    assert_int_equal(sandbox->subids.start, 1785000000);
    assert_int_equal(sandbox->subids.count, 65536);
    assert_string_equal(sandbox->groups[0], "kvm");
    assert_null(sandbox->groups[1]);
    assert_string_equal(config->run0.deny_env[0], "ACTIONS_*");
    assert_null(config->host.lock_user);
}

/* What the vendor file says of host is what is built in, so that it tells the truth without being
 * read. */
static void test_the_vendor_file_repeats_the_defaults(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *built_in = tree_load(tree, false, "");
    _cleanup_free_ char *before = tree_text(built_in, false), *after = NULL;
    _cleanup_(config_freep) struct config *shipped = NULL;

    install(tree, vendor, CONFIG_VENDOR_FILE);
    shipped = tree_load(tree, false, "");
    after = tree_text(shipped, false);
    assert_int_equal(strcspn(before, "}"), strcspn(after, "}"));
    assert_memory_equal(before, after, strcspn(before, "}"));
}

/* The example in comments is right when the comment signs go. */
static void test_the_commented_example(void **state)
{
    struct tree *tree = *state;
    _cleanup_fclose_ FILE *file = fopen(admin, "re");
    _cleanup_free_ char *line = NULL, *text = NULL;
    size_t line_size = 0, size;
    FILE *out = open_memstream(&text, &size);
    bool example = false;

    assert_non_null(file);
    while (getline(&line, &line_size, file) > 0) {
        example |= strncmp(line, "# sandbox \"agent\"", 17) == 0;
        fputs(example ? line + 2 : line, out);
    }
    fclose(out);
    assert_true(example);
    tree_expect(tree, text, "");
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_the_default_sandbox),
        TEST(test_the_vendor_file_repeats_the_defaults),
        TEST(test_the_commented_example),
    };

    if (argc != 3) {
        fprintf(stderr, "usage: test-shipped VENDOR-FILE ADMIN-FILE\n");
        return 2;
    }
    vendor = argv[1];
    admin = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
