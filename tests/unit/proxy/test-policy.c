/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decisions, about rules that are made by hand; the awkward requests first. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "proxy/policy-new.h"
#include "tree.h"

static struct tree tree;

/* text: as in egress.conf; allow: hosts with a space between. */
static struct policy *make(const char *text, const char *allow, struct feed *feed)
{
    struct egress_policy *egress = NULL;
    struct policy *policy = NULL;
    char *list[8] = { NULL }, copy[256];
    size_t n = 0;

    tree_write(&tree, "/rules.conf", text);
    tree.problems[0] = '\0';
    (void)egress_load_etc(tree.root, "/rules.conf", tree_problem, &tree, &egress);
    assert_string_equal(tree.problems, "");
    (void)snprintf(copy, sizeof copy, "%s", allow);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));)
        if (*word)
            list[n++] = word;
    assert_int_equal(policy_new(egress, list, feed, &policy), 0);
    return policy;
}

static struct policy_request request(const char *method, const char *host, uint16_t port,
                                     const char *path)
{
    return (struct policy_request){
        .method = method,
        .host = host,
        .port = port,
        .path = path,
        .path_size = strlen(path),
    };
}

static void decides(const struct policy *policy, struct policy_request asked,
                    enum policy_reason reason, const char *rule)
{
    struct policy_verdict verdict;

    memset(&verdict, 0x55, sizeof verdict);
    policy_decide(policy, &asked, &verdict);
    if (verdict.reason != reason || strcmp(verdict.rule, rule) != 0)
        fail_msg("%s %s:%u %s: %s by \"%s\", not %s by \"%s\"", asked.method, asked.host,
                 asked.port, asked.path, policy_reason_token(verdict.reason), verdict.rule,
                 policy_reason_token(reason), rule);
    assert_int_equal(verdict.allowed, reason == POLICY_REASON_ALLOWED);
}

static void with_body(const struct policy *policy, struct policy_request asked,
                      enum policy_reason reason, const char *rule)
{
    asked.has_body = true;
    decides(policy, asked, reason, rule);
}

static void with_upgrade(const struct policy *policy, struct policy_request asked,
                         enum policy_upgrade upgrade, enum policy_reason reason, const char *rule)
{
    asked.upgrade = upgrade;
    decides(policy, asked, reason, rule);
}

#define ALLOWED POLICY_REASON_ALLOWED
#define NO_RULE POLICY_REASON_METHOD, ""
#define BODY POLICY_REASON_BODY, ""
#define MALFORMED POLICY_REASON_MALFORMED, ""

#define RULES                                                                                      \
    "write \"fetch\" { hosts = { \"git.example\", \"other.example:8443\" } methods = { \"POST\" "  \
    "}\n"                                                                                          \
    "                paths = { \"/**/git-upload-pack\" } }\n"                                      \
    "write \"put\" { hosts = { \"git.example\" } methods = { \"PUT\", \"GET\" } paths = { "        \
    "\"/up/*\" } }\n"                                                                              \
    "write \"off\" { hosts = { } methods = { \"POST\" } paths = { \"/**\" } }\n"                   \
    "write \"echo\" { hosts = { \"ws.example\" } paths = { \"/echo\" } upgrade = \"websocket\" "   \
    "}\n"

static void test_malformed(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make(RULES, "", NULL);

    (void)state;
    decides(policy, request("", "git.example", 443, "/"), MALFORMED);
    decides(policy, request("get", "git.example", 443, "/"), MALFORMED);
    decides(policy, request("GET ", "git.example", 443, "/"), MALFORMED);
    decides(policy, request("GET", "", 443, "/"), MALFORMED);
    decides(policy, request("GET", "Git.example", 443, "/"), MALFORMED);
    decides(policy, request("GET", "git.example/", 443, "/"), MALFORMED);
    decides(policy, request("GET", "git.example", 0, "/"), MALFORMED);
    decides(policy, request("GET", "git.example", 443, ""), MALFORMED);
    decides(policy, request("GET", "git.example", 443, "a"), MALFORMED);
    decides(policy, request("GET", "git.example", 443, "*"), MALFORMED);
    decides(policy, (struct policy_request){ 0 }, MALFORMED);
    decides(policy, request("OPTIONS", "git.example", 443, "*"), ALLOWED, "read");
}

static void test_reads(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make("", "", NULL);

    (void)state;
    decides(policy, request("GET", "example.org", 443, "/"), ALLOWED, "read");
    decides(policy, request("HEAD", "example.org", 8080, "/a"), ALLOWED, "read");
    decides(policy, request("OPTIONS", "192.0.2.1", 80, "/"), ALLOWED, "read");
    decides(policy, request("GET", "2001:db8::1", 80, "/..%2f;\\"), ALLOWED, "read");
    with_body(policy, request("GET", "example.org", 443, "/"), BODY);
    with_body(policy, request("HEAD", "example.org", 443, "/"), BODY);
    decides(policy, request("POST", "example.org", 443, "/"), NO_RULE);
    decides(policy, request("QUERY", "example.org", 443, "/"), NO_RULE);
    decides(policy, request("TRACE", "example.org", 443, "/"), NO_RULE);
    decides(policy, request("CONNECT", "example.org", 443, "/"), NO_RULE);
    decides(policy, request("GETT", "example.org", 443, "/"), NO_RULE);
    decides(policy, request("GE", "example.org", 443, "/"), NO_RULE);
}

static void test_rules(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make(RULES, "", NULL);

    (void)state;
    decides(policy, request("POST", "git.example", 443, "/a/git-upload-pack"), ALLOWED, "fetch");
    decides(policy, request("POST", "git.example", 80, "/a/git-upload-pack"), ALLOWED, "fetch");
    with_body(policy, request("POST", "git.example", 443, "/a/git-upload-pack"), ALLOWED, "fetch");
    decides(policy, request("POST", "git.example", 8443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "other.example", 8443, "/a/git-upload-pack"), ALLOWED, "fetch");
    decides(policy, request("POST", "other.example", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "git.example", 443, "/a/git-receive-pack"), NO_RULE);
    decides(policy, request("PUT", "git.example", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "git.example", 443, "/up/a"), NO_RULE);
    with_body(policy, request("PUT", "git.example", 443, "/up/a"), ALLOWED, "put");
    with_body(policy, request("GET", "git.example", 443, "/up/a"), ALLOWED, "put");
    decides(policy, request("GET", "git.example", 443, "/up/a"), ALLOWED, "read");
    with_body(policy, request("GET", "git.example", 443, "/up/a/b"), BODY);
    /* Hosts are exact. */
    decides(policy, request("POST", "a.git.example", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "git.exampl", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "git.example.", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "git.example:443", 443, "/a/git-upload-pack"), NO_RULE);
    decides(policy, request("POST", "off.example", 443, "/a"), NO_RULE);
    /* And a path ends where it says, whatever stands behind. */
    struct policy_request asked = request("POST", "git.example", 443, "/a/git-upload-packX");
    asked.path_size--;
    decides(policy, asked, ALLOWED, "fetch");
}

static void test_the_first_rule_that_fits(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make(
        "write \"z\" { hosts = { \"a.example\", \"b.example\" } methods = { \"POST\" } paths = "
        "{ \"/x\" } }\n"
        "write \"a\" { hosts = { \"b.example\", \"a.example\" } methods = { \"POST\" } paths = "
        "{ \"/**\" } }\n",
        "", NULL);

    (void)state;
    decides(policy, request("POST", "a.example", 443, "/x"), ALLOWED, "z");
    decides(policy, request("POST", "b.example", 443, "/x"), ALLOWED, "z");
    decides(policy, request("POST", "b.example", 443, "/y"), ALLOWED, "a");
}

static void test_upgrades(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make(RULES, "", NULL);
    struct policy_request echo = request("GET", "ws.example", 443, "/echo");
    struct policy_request put = request("GET", "git.example", 443, "/up/a");

    (void)state;
    with_upgrade(policy, echo, POLICY_UPGRADE_WEBSOCKET, ALLOWED, "echo");
    with_upgrade(policy, echo, POLICY_UPGRADE_OTHER, POLICY_REASON_UPGRADE, "");
    decides(policy, echo, ALLOWED, "read");
    with_body(policy, echo, BODY);
    echo.has_body = true;
    with_upgrade(policy, echo, POLICY_UPGRADE_WEBSOCKET, POLICY_REASON_UPGRADE, "");
    /* Nor is a rule for requests one for WebSockets. */
    with_upgrade(policy, put, POLICY_UPGRADE_WEBSOCKET, POLICY_REASON_UPGRADE, "");
    put.method = "POST";
    with_upgrade(policy, put, POLICY_UPGRADE_OTHER, POLICY_REASON_UPGRADE, "");
}

static void test_allow(void **state)
{
    _cleanup_(policy_freep) struct policy *policy =
        make(RULES, "example.org *.below.example git.example", NULL);

    (void)state;
    decides(policy, request("GET", "example.org", 443, "/"), ALLOWED, "read");
    decides(policy, request("GET", "www.example.org", 443, "/"), POLICY_REASON_HOST_NOT_LISTED,
            "allow");
    decides(policy, request("GET", "a.below.example", 443, "/"), ALLOWED, "read");
    decides(policy, request("GET", "a.b.below.example", 443, "/"), ALLOWED, "read");
    decides(policy, request("GET", "below.example", 443, "/"), POLICY_REASON_HOST_NOT_LISTED,
            "allow");
    decides(policy, request("GET", ".below.example", 443, "/"), POLICY_REASON_HOST_NOT_LISTED,
            "allow");
    decides(policy, request("GET", "xbelow.example", 443, "/"), POLICY_REASON_HOST_NOT_LISTED,
            "allow");
    decides(policy, request("GET", "192.0.2.1", 443, "/"), POLICY_REASON_HOST_NOT_LISTED, "allow");
    /* It narrows what rules allow, and allows nothing that they do not. */
    decides(policy, request("POST", "git.example", 443, "/a/git-upload-pack"), ALLOWED, "fetch");
    decides(policy, request("POST", "other.example", 8443, "/a/git-upload-pack"),
            POLICY_REASON_HOST_NOT_LISTED, "allow");
    decides(policy, request("POST", "example.org", 443, "/"), NO_RULE);
}

static void test_feed(void **state)
{
    static const char text[] = "git.example\n192.0.2.1\nevil.example\n";
    struct feed *feed = NULL;
    unsigned line;

    (void)state;
    assert_int_equal(feed_parse(text, sizeof text - 1, &feed, &line), 0);
    _cleanup_(policy_freep) struct policy *policy = make(RULES, "", feed);
    feed_unref(feed);
    decides(policy, request("GET", "evil.example", 443, "/"), POLICY_REASON_HOST_FEED, "feed");
    decides(policy, request("GET", "www.evil.example", 443, "/"), POLICY_REASON_HOST_FEED, "feed");
    decides(policy, request("GET", "192.0.2.1", 443, "/"), POLICY_REASON_HOST_FEED, "feed");
    decides(policy, request("GET", "good.example", 443, "/"), ALLOWED, "read");
    /* Rules do not open what it closes. */
    decides(policy, request("POST", "git.example", 443, "/a/git-upload-pack"),
            POLICY_REASON_HOST_FEED, "feed");
}

static void explains(const struct policy *policy, struct policy_request asked, const char *expected)
{
    struct policy_verdict verdict;
    char line[1024], cut[16];

    policy_decide(policy, &asked, &verdict);
    policy_explain(&asked, &verdict, line, sizeof line);
    assert_string_equal(line, expected);
    policy_explain(&asked, &verdict, cut, sizeof cut);
    assert_int_equal(strncmp(cut, expected, sizeof cut - 1), 0);
    assert_int_equal(strnlen(cut, sizeof cut), sizeof cut - 1);
    policy_explain(&asked, &verdict, cut, 1);
    assert_string_equal(cut, "");
}

static void test_explain(void **state)
{
    _cleanup_(policy_freep) struct policy *policy = make(RULES, "", NULL);
    _cleanup_(policy_freep) struct policy *narrow = make(RULES, "example.org", NULL);
    struct policy_request asked = request("GET", "git.example", 443, "/a");

    (void)state;
    explains(policy, asked, "GET git.example/a is a read");
    explains(policy, request("POST", "git.example", 80, "/a/git-upload-pack"),
             "POST git.example/a/git-upload-pack is allowed by write \"fetch\"");
    explains(policy, request("POST", "git.example", 8080, "/a\x01\xc3\n"),
             "POST git.example:8080/a??? is not a read; needed: write \"NAME\" { hosts = { "
             "\"git.example:8080\" } methods = { \"POST\" } paths = { \"/a???\" } }");
    explains(policy, request("POST", "2001:db8::1", 443, "/"),
             "POST [2001:db8::1]/ is not a read; rules name hosts, and this is an address");
    explains(
        narrow, asked,
        "GET git.example/a: the host is not in the sandbox's list; needed: egress { allow += { "
        "\"git.example\" } }");
    asked.has_body = true;
    explains(
        policy, asked,
        "GET git.example/a has a body, so it is not a read; needed: write \"NAME\" { hosts = { "
        "\"git.example\" } methods = { \"GET\" } paths = { \"/a\" } }");
    asked.has_body = false;
    asked.upgrade = POLICY_UPGRADE_WEBSOCKET;
    explains(policy, asked,
             "GET git.example/a would become a WebSocket, so it is not a read; needed: write "
             "\"NAME\" { hosts = { \"git.example\" } paths = { \"/a\" } upgrade = \"websocket\" }");
    asked.upgrade = POLICY_UPGRADE_OTHER;
    explains(policy, asked,
             "GET git.example/a would leave HTTP for something that is not judged, and no rule "
             "allows it");
    explains(policy, (struct policy_request){ 0 }, "what this asks for cannot be told");
}

/* What it says is needed is right, word for word. */
static void test_what_is_needed_is_enough(void **state)
{
    _cleanup_(policy_freep) struct policy *none = make("", "", NULL), *rules = NULL;
    struct policy_request asked[] = {
        request("POST", "git.example", 8080, "/a/b;c%2Fd"),
        request("GET", "a.example", 443, "/"),
        request("GET", "a.example", 443, "/"),
    };

    (void)state;
    asked[1].has_body = true;
    asked[2].upgrade = POLICY_UPGRADE_WEBSOCKET;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct policy_verdict verdict;
        char line[1024];

        policy_decide(none, &asked[i], &verdict);
        assert_false(verdict.allowed);
        policy_explain(&asked[i], &verdict, line, sizeof line);
        rules = make(strstr(line, "write"), "", NULL);
        decides(rules, asked[i], ALLOWED, "NAME");
        policy_free(steal_ptr(rules));
    }
}

static void test_tokens(void **state)
{
    (void)state;
    for (int reason = 0; reason < N_POLICY_REASONS; reason++) {
        const char *token = policy_reason_token(reason);

        assert_true(strspn(token, "abcdefghijklmnopqrstuvwxyz-") == strlen(token) && *token);
        for (int other = 0; other < reason; other++)
            assert_string_not_equal(token, policy_reason_token(other));
    }
    assert_string_equal(policy_reason_token(N_POLICY_REASONS), "malformed");
}

static int setup(void **state)
{
    struct tree *made;
    int r = tree_setup((void **)&made);

    (void)state;
    tree = *made;
    free(made);
    return r;
}

static int teardown(void **state)
{
    struct tree *made = malloc(sizeof *made);

    (void)state;
    *made = tree;
    return tree_teardown((void **)&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_the_first_rule_that_fits),
        cmocka_unit_test(test_upgrades),
        cmocka_unit_test(test_allow),
        cmocka_unit_test(test_feed),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_what_is_needed_is_enough),
        cmocka_unit_test(test_tokens),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
