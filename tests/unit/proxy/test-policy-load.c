/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From what is in force to a policy. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "proxy/policy-new.h"
#include "tree.h"

#define FEED "/var/lib/feed"

static void put_in_force(struct tree *tree, const char *rules, const char *egress)
{
    char text[256];

    (void)snprintf(text, sizeof text, "sandbox \"a\" { uid = 1000 egress { %s } }\n", egress);
    tree_write(tree, EGRESS_ADMIN_FILE, rules);
    _cleanup_(config_freep) struct config *config = tree_load_text(tree, text, "");
    assert_int_equal(snapshot_write(tree->root, config), 0);
}

static int load(struct tree *tree, const struct policy *previous, const char *problems,
                struct policy **ret)
{
    int r;

    *ret = NULL;
    tree->problems[0] = '\0';
    r = policy_load(tree->root, "a", previous, tree_problem, tree, ret);
    assert_string_equal(tree->problems, problems);
    assert_true((r == 0) == !!*ret);
    /* And without anybody to tell. */
    if (r < 0)
        assert_int_equal(policy_load(tree->root, "a", previous, NULL, NULL, ret), r);
    return r;
}

static enum policy_reason decide(const struct policy *policy, const char *method, const char *host)
{
    const struct policy_request request = {
        .method = method,
        .host = host,
        .port = 443,
        .path = "/",
        .path_size = 1,
    };
    struct policy_verdict verdict;

    policy_decide(policy, &request, &verdict);
    return verdict.reason;
}

static void test_nothing_in_force(void **state)
{
    struct tree *tree = *state;
    struct policy *policy;

    assert_int_equal(
        load(tree, NULL,
             ":0: no rules are in force for the proxy of sandbox \"a\"; run sandboxctl "
             "apply\n",
             &policy),
        -ENOENT);
    put_in_force(tree, "", "proxy = false");
    assert_int_equal(
        load(tree, NULL,
             ":0: no rules are in force for the proxy of sandbox \"a\"; run sandboxctl "
             "apply\n",
             &policy),
        -ENOENT);
}

static void test_rules_and_hosts(void **state)
{
    struct tree *tree = *state;
    _cleanup_(policy_freep) struct policy *policy = NULL;

    put_in_force(
        tree, "write \"w\" { hosts = { \"w.example\" } methods = { \"POST\" } paths = { \"/\" } }",
        "allow = { \"w.example\" }");
    assert_int_equal(load(tree, NULL, "", &policy), 0);
    assert_null(policy_feed(policy));
    assert_int_equal(decide(policy, "POST", "w.example"), POLICY_REASON_ALLOWED);
    assert_int_equal(decide(policy, "PUT", "w.example"), POLICY_REASON_METHOD);
    assert_int_equal(decide(policy, "GET", "other.example"), POLICY_REASON_HOST_NOT_LISTED);
}

static void test_feed(void **state)
{
    struct tree *tree = *state;
    _cleanup_(policy_freep) struct policy *policy = NULL;

    put_in_force(tree, "feed { file = \"" FEED "\" floor = 2 }", "");
    tree_write(tree, FEED, "evil.example\nworse.example\n");
    assert_int_equal(load(tree, NULL, "", &policy), 0);
    assert_int_equal(decide(policy, "GET", "www.evil.example"), POLICY_REASON_HOST_FEED);
    assert_int_equal(decide(policy, "GET", "good.example"), POLICY_REASON_ALLOWED);
}

/* Each way in which a feed cannot be used, and what is told. */
static void test_a_feed_that_cannot_be_used(void **state)
{
    struct tree *tree = *state;
    _cleanup_(policy_freep) struct policy *before = NULL;
    struct policy *policy;

    put_in_force(tree, "feed { file = \"" FEED "\" floor = 2 }", "");
    tree_write(tree, FEED, "evil.example\nworse.example\n");
    assert_int_equal(load(tree, NULL, "", &before), 0);

#define STAYS FEED ":0: the feed from before stays in force: 2 names\n"
#define CANNOT(why)                                                                                \
    do {                                                                                           \
        assert_int_equal(load(tree, NULL, FEED why, &policy), -EINVAL);                            \
        assert_int_equal(load(tree, before, FEED why STAYS, &policy), 0);                          \
        assert_int_equal(decide(policy, "GET", "evil.example"), POLICY_REASON_HOST_FEED);          \
        policy_free(policy);                                                                       \
    } while (0)

    tree_write(tree, FEED, "new.example\n");
    CANNOT(":0: the feed has 1 names, fewer than floor = 2, and is not believed\n");
    tree_write(tree, FEED, "new.example\n<html>\n");
    CANNOT(":2: the feed is no list of names, one a line or as in hosts(5); this is the first line "
           "that is not\n");
    assert_int_equal(chmod(tree_path(tree, FEED), 0666), 0);
    CANNOT(":0: the feed can be written by others than root; chown root " FEED "; chmod go-w " FEED
           "\n");
    assert_int_equal(unlink(tree_path(tree, FEED)), 0);
    CANNOT(":0: the feed cannot be read: No such file or directory\n");
    assert_int_equal(mkfifo(tree_path(tree, FEED), 0644), 0);
    CANNOT(":0: the feed is not a regular file of at most 64 MiB\n");
}

/* The way to it is the proxy that has yet to start. */
static void test_a_feed_that_is_fetched(void **state)
{
    struct tree *tree = *state;
    _cleanup_(policy_freep) struct policy *first = NULL, *second = NULL, *third = NULL;

    put_in_force(tree, "feed { url = \"https://feeds.example/\" }", "");
    assert_int_equal(load(tree, NULL,
                          EGRESS_FEED_DIR "/a:0: the feed was not fetched yet: no name is refused "
                                          "for it; systemctl start "
                                          "pam-sandbox-egress-feeds.service fetches it\n",
                          &first),
                     0);
    assert_int_equal(decide(first, "GET", "evil.example"), POLICY_REASON_ALLOWED);
    tree_write(tree, EGRESS_FEED_DIR "/a", "evil.example\n");
    assert_int_equal(load(tree, first, "", &second), 0);
    assert_int_equal(decide(second, "GET", "evil.example"), POLICY_REASON_HOST_FEED);
    /* Once there was one, it is missed. */
    tree_write(tree, EGRESS_FEED_DIR "/a", "");
    assert_int_equal(load(tree, second,
                          EGRESS_FEED_DIR
                          "/a:0: the feed has 0 names, fewer than floor = 1, and is "
                          "not believed\n" EGRESS_FEED_DIR
                          "/a:0: the feed from before stays in force: 1 names\n",
                          &third),
                     0);
    assert_int_equal(decide(third, "GET", "evil.example"), POLICY_REASON_HOST_FEED);
}

/* The old feed is one of the old policy's, and outlives it. */
static void test_the_feed_outlives_its_policy(void **state)
{
    struct tree *tree = *state;
    struct policy *before, *after;

    put_in_force(tree, "feed { file = \"" FEED "\" }", "");
    tree_write(tree, FEED, "evil.example\n");
    assert_int_equal(load(tree, NULL, "", &before), 0);
    tree_write(tree, FEED, "");
    tree->problems[0] = '\0';
    assert_int_equal(policy_load(tree->root, "a", before, tree_problem, tree, &after), 0);
    policy_free(before);
    assert_int_equal(decide(after, "GET", "evil.example"), POLICY_REASON_HOST_FEED);
    policy_free(after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_in_force),
        TEST(test_rules_and_hosts),
        TEST(test_feed),
        TEST(test_a_feed_that_cannot_be_used),
        TEST(test_a_feed_that_is_fetched),
        TEST(test_the_feed_outlives_its_policy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
