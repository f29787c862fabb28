/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What apply says it changes. */
#include "conf/cleanup.h"
#include "sandboxctl/diff.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char root[] = "/tmp/test-diff-XXXXXX";

static int make_root(void **state)
{
    char path[64];

    (void)state;
    if (!mkdtemp(root))
        return -1;
    snprintf(path, sizeof(path), "%s/etc", root);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), "%s/etc/pam-sandbox", root);
    return mkdir(path, 0755);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fail_on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fail_msg("%s:%u: %s", file, line, message);
}

static struct config *load(const char *text)
{
    const struct config_source source = { .root = root };
    struct config *config = NULL;
    char path[64];

    snprintf(path, sizeof(path), "%s/etc/pam-sandbox/pam-sandbox.conf", root);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(config_load_etc(&source, fail_on_problem, NULL, &config), 0);
    return config;
}

static void assert_diff(const char *old_text, const char *new_text, size_t n, const char *expected)
{
    _cleanup_(config_freep) struct config *old = old_text ? load(old_text) : NULL;
    _cleanup_(config_freep) struct config *new = load(new_text);
    _cleanup_free_ char *text = NULL;
    size_t size, n_changes = 99;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(diff_print(old, new, out, &n_changes), 0);
    fclose(out);
    assert_string_equal(text, expected);
    assert_int_equal(n_changes, n);
}

#define FILE_NAME "/etc/pam-sandbox/pam-sandbox.conf"

static void test_same(void **state)
{
    (void)state;
    assert_diff("sandbox \"a\" { uid = 50000 }", "# moved\n\nsandbox \"a\" {\n uid = 50000\n}\n", 0,
                "");
    assert_diff(NULL, "", 0, "");
}

static void test_sandboxes_come_and_go(void **state)
{
    (void)state;
    assert_diff("sandbox \"b\" { uid = 50001 }\nsandbox \"c\" { uid = 50002 }\n",
                "sandbox \"a\" { uid = 50000 }\n\nsandbox \"b\" { uid = 50001 }\n"
                "sandbox \"d\" {\n uid = 50003\n env = { \"X=1\", \"Y=2\" }\n}\n",
                6,
                "+ sandbox \"a\"  # " FILE_NAME ":1\n"
                "+ sandbox \"a\" uid = 50000  # " FILE_NAME ":1\n"
                "- sandbox \"c\"\n"
                "+ sandbox \"d\"  # " FILE_NAME ":4\n"
                "+ sandbox \"d\" uid = 50003  # " FILE_NAME ":5\n"
                "+ sandbox \"d\" env = { \"X=1\", \"Y=2\" }  # " FILE_NAME ":6\n");
}

static void test_nothing_was_in_force(void **state)
{
    (void)state;
    assert_diff(NULL, "host {\n kernel-policy = false\n}\nsandbox \"a\" { uid = 50000 }\n", 3,
                "~ host kernel-policy = true -> false  # " FILE_NAME ":2\n"
                "+ sandbox \"a\"  # " FILE_NAME ":4\n"
                "+ sandbox \"a\" uid = 50000  # " FILE_NAME ":4\n");
}

static void test_options(void **state)
{
    (void)state;
    assert_diff("run0 { limits { tasks = 100 } }\n"
                "sandbox \"a\" { uid = 50000 limits { memory = \"1G\" } private-tmp = false }\n",
                "sandbox \"a\" {\n uid = 50000\n limits { memory = \"2G\" }\n"
                " env = { \"A=1\" }\n}\n",
                4,
                "~ run0 limits.tasks = 100 -> \"infinity\"  # built in\n"
                "~ sandbox \"a\" env = { } -> { \"A=1\" }  # " FILE_NAME ":4\n"
                "~ sandbox \"a\" private-tmp = false -> true  # built in\n"
                "~ sandbox \"a\" limits.memory = \"1G\" -> \"2G\"  # " FILE_NAME ":3\n");
}

/* The snapshot has no origins, and neither has what a program made. */
static void test_without_origins(void **state)
{
    _cleanup_(config_freep) struct config *real = load("sandbox \"a\" { uid = 50000 }");
    struct config bare = *real;
    _cleanup_free_ char *text = NULL;
    size_t size, n_changes;

    (void)state;
    bare.origins = NULL;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(diff_print(real, &bare, out, &n_changes), 0);
    assert_int_equal(n_changes, 0);
    assert_int_equal(diff_print(NULL, &bare, out, &n_changes), 0);
    fclose(out);
    assert_true(strncmp(text, "+ sandbox \"a\"\n", strlen("+ sandbox \"a\"\n")) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_sandboxes_come_and_go),
        cmocka_unit_test(test_nothing_was_in_force),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_without_origins),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
