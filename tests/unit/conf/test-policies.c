/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of proxies on their way from /etc to what is in force. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/compare.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "tree.h"

#define RULE(host)                                                                                 \
    "write \"a\" { hosts = { \"" host "\" } methods = { \"POST\" } paths = { \"/\" } }\n"
#define SANDBOXES                                                                                  \
    "sandbox \"a\" { uid = 1000 }\n"                                                               \
    "sandbox \"b\" { uid = 1001 egress { policy = \"/etc/b.conf\" } }\n"                           \
    "sandbox \"c\" { uid = 1002 }\n"                                                               \
    "sandbox \"d\" { uid = 1003 egress { proxy = false policy = \"/etc/gone.conf\" } }\n"

static struct config *load(struct tree *tree)
{
    tree_write(tree, EGRESS_ADMIN_FILE, RULE("admin.example"));
    tree_write(tree, "/etc/b.conf", RULE("b.example"));
    return tree_load_text(tree, SANDBOXES, "");
}

static const char *host_in_force(const struct tree *tree, const char *sandbox)
{
    static char host[64];
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    int r = egress_load_snapshot(tree->root, sandbox, NULL, NULL, &policy);

    if (r == -ENOENT)
        return NULL;
    assert_int_equal(r, 0);
    (void)snprintf(host, sizeof host, "%s", policy->rules[0].hosts[0]);
    return host;
}

static void test_each_sandbox_has_its_own(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = load(tree);

    assert_int_equal(config->n_policies, 2);
    assert_non_null(
        strstr(config_find_policy(config, &config->sandboxes[0])->text, "admin.example"));
    assert_non_null(strstr(config_find_policy(config, &config->sandboxes[1])->text, "b.example"));
    assert_ptr_equal(config_find_policy(config, &config->sandboxes[2]),
                     config_find_policy(config, &config->sandboxes[0]));
    assert_null(config_find_policy(config, &config->sandboxes[3]));

    assert_int_equal(snapshot_write(tree->root, config), 0);
    assert_string_equal(host_in_force(tree, "a"), "admin.example");
    assert_string_equal(host_in_force(tree, "b"), "b.example");
    assert_string_equal(host_in_force(tree, "c"), "admin.example");
    assert_null(host_in_force(tree, "d"));

    /* Nor does a session that is no sandbox's read about them. */
    _cleanup_fclose_ FILE *host =
        fopen(tree_path(tree, SNAPSHOT_SPLIT_DIR "/" SNAPSHOT_SPLIT_HOST), "re");
    _cleanup_free_ char *text = NULL;
    size_t size = 0;
    assert_non_null(host);
    assert_true(getdelim(&text, &size, '\0', host) > 0);
    assert_null(strstr(text, EGRESS_ADMIN_FILE));
}

static void test_the_digest_covers_them(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = load(tree), *edited = NULL;
    char of[SNAPSHOT_DIGEST_SIZE], stands[SNAPSHOT_DIGEST_SIZE];

    assert_int_equal(snapshot_write(tree->root, config), 0);
    assert_int_equal(snapshot_digest(tree->root, stands), 0);
    assert_int_equal(snapshot_digest_of(config, of), 0);
    assert_string_equal(of, stands);

    tree_write(tree, "/etc/b.conf", RULE("other.example"));
    edited = tree_load(tree, false, "");
    assert_int_equal(snapshot_digest_of(edited, of), 0);
    assert_string_not_equal(of, stands);
}

/* What apply restores after a new policy failed. */
static void test_what_is_in_force_can_be_put_in_force_again(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = load(tree), *whole = NULL, *next = NULL;
    char before[SNAPSHOT_DIGEST_SIZE], after[SNAPSHOT_DIGEST_SIZE];

    assert_int_equal(snapshot_write(tree->root, config), 0);
    assert_int_equal(snapshot_digest(tree->root, before), 0);
    assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &whole), 0);
    tree_write(tree, "/etc/b.conf", RULE("other.example"));
    next = tree_load(tree, false, "");
    assert_int_equal(snapshot_write(tree->root, next), 0);
    assert_string_equal(host_in_force(tree, "b"), "other.example");

    assert_int_equal(snapshot_write(tree->root, whole), 0);
    assert_int_equal(snapshot_digest(tree->root, after), 0);
    assert_string_equal(before, after);
    assert_string_equal(host_in_force(tree, "b"), "b.example");
}

/* A snapshot of a version that had no rules. */
static void test_a_snapshot_without(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = load(tree), *whole = NULL;

    assert_int_equal(snapshot_write(tree->root, config), 0);
    assert_int_equal(unlink(tree_path(tree, SNAPSHOT_SPLIT_DIR "/b" SNAPSHOT_EGRESS_SUFFIX)), 0);
    assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &whole), 0);
    assert_int_equal(whole->n_policies, 1);
    assert_null(config_find_policy(whole, &whole->sandboxes[1]));
    assert_null(host_in_force(tree, "b"));
}

static void test_problems_are_told_with_the_others(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, EGRESS_ADMIN_FILE, "write \"a\" { }\n");
    tree_write(tree, CONFIG_ADMIN_FILE, SANDBOXES "sandbox \"e\" { uid = 1000 }\n");
    config_free(
        tree_load(tree, false,
                  CONFIG_ADMIN_FILE
                  ":5: uid: sandbox \"e\" has ids of sandbox \"a\" (uid 1000); choose "
                  "others\n" EGRESS_ADMIN_FILE
                  ":1: write \"a\" has no hosts; name them, or write hosts = { } to turn it "
                  "off\n/etc/b.conf:0: cannot be read: No such file or directory\n"));
}

static void on_change(const struct config_change *change, void *userdata)
{
    char *text = userdata;
    const size_t used = strlen(text);

    assert_int_equal(strlen(change->from), 12);
    assert_int_equal(strlen(change->to), 12);
    (void)snprintf(text + used, 256 - used, "%s %s %s:%u\n", change->section, change->option,
                   change->file, change->line);
}

static void test_a_change_is_told(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *old = load(tree), *new = NULL;
    char changes[256] = "";

    tree_write(tree, EGRESS_ADMIN_FILE, RULE("other.example"));
    new = tree_load(tree, false, "");
    assert_int_equal(config_compare(old, new, on_change, changes), 0);
    assert_string_equal(changes, "egress rules " EGRESS_ADMIN_FILE ":0\n");
}

static void test_ports(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = tree_load_text(
        tree,
        "sandbox \"a\" { uid = 59000 }\nsandbox \"b\" { uid = 59001 egress { port = 65535 } }\n",
        "");

    assert_int_equal(config_egress_port(&config->sandboxes[0]), 26232);
    assert_int_equal(config_egress_port(&config->sandboxes[1]), 65535);
    /* 1000 and 1000 + 16384; and one that says so. */
    tree_expect(
        tree, "sandbox \"a\" { uid = 1000 }\nsandbox \"b\" { uid = 17384 }\n",
        "2: egress.port: the proxies of \"a\" and \"b\" would both listen on port 17384; set "
        "port to another for one of them\n");
    tree_expect(
        tree,
        "sandbox \"a\" { uid = 1000 }\n\nsandbox \"b\" { uid = 2000\n"
        "egress { port = 17384 } }\n",
        "4: egress.port: the proxies of \"a\" and \"b\" would both listen on port 17384; set "
        "port to another for one of them\n");
    tree_expect(
        tree,
        "sandbox \"a\" { uid = 1000 }\nsandbox \"b\" { uid = 17384 egress { proxy = false } }", "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_each_sandbox_has_its_own),
        TEST(test_the_digest_covers_them),
        TEST(test_what_is_in_force_can_be_put_in_force_again),
        TEST(test_a_snapshot_without),
        TEST(test_problems_are_told_with_the_others),
        TEST(test_a_change_is_told),
        TEST(test_ports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
