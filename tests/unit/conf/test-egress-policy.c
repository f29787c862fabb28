/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The proxy's rules, from files to a policy and back. The arguments are the file that is
 * shipped and egress.conf(5). */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/egress-options.h"
#include "conf/egress-path.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"
#include "tree.h"

static const char *shipped, *manual;

static struct egress_policy *load(struct tree *tree, const char *path, const char *problems)
{
    struct egress_policy *policy = NULL;
    int r;

    tree->problems[0] = '\0';
    r = egress_load_etc(tree->root, path, tree_problem, tree, &policy);
    assert_string_equal(tree->problems, problems);
    assert_int_equal(r, *problems ? -EINVAL : 0);
    assert_true(*problems ? !policy : !!policy);
    return policy;
}

static struct egress_policy *load_text(struct tree *tree, const char *text)
{
    tree_write(tree, EGRESS_ADMIN_FILE, text);
    return load(tree, NULL, "");
}

/* problem: "LINE: MESSAGE". */
static void refuses(struct tree *tree, const char *text, const char *problem)
{
    char named[2048];

    (void)snprintf(named, sizeof named, "%s:%s\n", EGRESS_ADMIN_FILE, problem);
    tree_write(tree, EGRESS_ADMIN_FILE, text);
    assert_null(load(tree, NULL, named));
}

static char *text_of(const struct egress_policy *policy)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(egress_write(policy, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

#define RULE(name, host)                                                                           \
    "write \"" name "\" { hosts = { \"" host "\" } methods = { \"POST\" } paths = { \"/\" } }\n"

static void test_nothing_is_there(void **state)
{
    _cleanup_(egress_freep) struct egress_policy *policy = load(*state, NULL, "");

    assert_int_equal(policy->n_rules, 0);
    assert_null(policy->feed_file);
    assert_int_equal(policy->feed_floor, 1);
}

static void test_every_option(void **state)
{
    _cleanup_(egress_freep) struct egress_policy *policy =
        load_text(*state, "# a comment\n"
                          "feed { file = \"/var/lib/feed\" floor = 1000 }\n"
                          "write \"a-1.b_2\" {\n"
                          "    hosts = { \"example.org\", \"xn--bcher-kva.example:8443\" }\n"
                          "    methods = { \"POST\", \"M-SEARCH\" }\n"
                          "    paths = { \"/a/**/b*\", \"/@s%2fn\" }\n"
                          "}\n"
                          "write \"echo\" { hosts = { \"example.org\" } paths = { \"/\" }\n"
                          "    upgrade = \"websocket\" }\n");
    const struct egress_rule *rule = policy->rules;

    assert_string_equal(policy->feed_file, "/var/lib/feed");
    assert_int_equal(policy->feed_floor, 1000);
    assert_int_equal(policy->n_rules, 2);
    assert_string_equal(rule->name, "a-1.b_2");
    assert_string_equal(rule->hosts[0], "example.org");
    assert_string_equal(rule->hosts[1], "xn--bcher-kva.example:8443");
    assert_null(rule->hosts[2]);
    assert_string_equal(rule->methods[1], "M-SEARCH");
    assert_string_equal(rule->paths[0], "/a/**/b*");
    assert_string_equal(rule->paths[1], "/@s%2fn");
    assert_int_equal(rule->upgrade, EGRESS_UPGRADE_NONE);
    assert_string_equal(rule->file, EGRESS_ADMIN_FILE);
    assert_int_equal(rule->line, 3);
    rule++;
    assert_string_equal(rule->name, "echo");
    assert_int_equal(rule->upgrade, EGRESS_UPGRADE_WEBSOCKET);
    assert_string_equal(rule->methods[0], "GET");
    assert_null(rule->methods[1]);
}

static void test_later_wins_per_option(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, EGRESS_VENDOR_FILE, RULE("a", "a.example") RULE("b", "b.example"));
    _cleanup_(egress_freep) struct egress_policy *policy =
        load_text(tree, "write \"b\" { hosts += { \"more.example\" } }\n"
                        "write \"a\" { hosts = { } }\n"
                        "write \"b\" { methods = { \"PUT\" } }\n");

    assert_int_equal(policy->n_rules, 2);
    assert_null(policy->rules[0].hosts[0]);
    assert_string_equal(policy->rules[0].methods[0], "POST");
    assert_string_equal(policy->rules[1].hosts[0], "b.example");
    assert_string_equal(policy->rules[1].hosts[1], "more.example");
    assert_string_equal(policy->rules[1].methods[0], "PUT");
    assert_null(policy->rules[1].methods[1]);
}

static void test_include(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, "/etc/pam-sandbox/rules/git.conf",
               "include = { \"more.conf\", \"/etc/pam-sandbox/egress.conf\" }\n" RULE(
                   "git", "git.example"));
    tree_write(tree, "/etc/pam-sandbox/rules/more.conf",
               "write \"own\" { hosts = { \"last.example\" } }\n" RULE("more", "more.example"));
    tree_write(tree, "/opt/rules.conf", RULE("opt", "opt.example"));
    _cleanup_(egress_freep) struct egress_policy *policy = load_text(
        tree, "include = { \"rules/git.conf\", \"/opt/rules.conf\" }\n" RULE("own", "own.example"));

    /* Each after the file that names it, and once. */
    assert_int_equal(policy->n_rules, 4);
    assert_string_equal(policy->rules[0].name, "own");
    assert_string_equal(policy->rules[0].hosts[0], "last.example");
    assert_string_equal(policy->rules[1].name, "git");
    assert_string_equal(policy->rules[2].name, "opt");
    assert_string_equal(policy->rules[3].name, "more");
}

static void test_include_of_what_is_not_right(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, EGRESS_ADMIN_FILE, "include = { \"missing.conf\" }\n");
    load(tree, NULL, CONFIG_DIR "/missing.conf:0: cannot be read: No such file or directory\n");
    tree_write(tree, CONFIG_DIR "/missing.conf", "\n\nwrite \"a\" { host = { } }\n");
    load(tree, NULL,
         CONFIG_DIR "/missing.conf:3: host: no such option in write; known there: "
                    "hosts, methods, paths, upgrade\n" CONFIG_DIR
                    "/missing.conf:3: write \"a\" has no hosts; name them, "
                    "or write hosts = { } to turn it off\n");
    assert_int_equal(chmod(tree_path(tree, CONFIG_DIR "/missing.conf"), 0666), 0);
    load(tree, NULL,
         CONFIG_DIR "/missing.conf:0: can be written by others than its owner; chmod "
                    "go-w " CONFIG_DIR "/missing.conf\n");
    assert_int_equal(unlink(tree_path(tree, CONFIG_DIR "/missing.conf")), 0);
    assert_int_equal(symlink("egress.conf", tree_path(tree, CONFIG_DIR "/missing.conf")), 0);
    load(tree, NULL,
         CONFIG_DIR "/missing.conf:0: is a symbolic link; put the file itself in its "
                    "place\n");
    refuses(tree, "include = { \"\" }",
            "1: include: \"" CONFIG_DIR "/\" has a part that is empty, . or ..; write it without");
    refuses(tree, "include = {\n\"../a\" }",
            "2: include: \"" CONFIG_DIR
            "/../a\" has a part that is empty, . or ..; write it without");
}

/* A chain that never ends. */
static void test_include_without_end(void **state)
{
    struct tree *tree = *state;

    for (int i = 0; i < 70; i++) {
        char path[64], text[64];

        (void)snprintf(path, sizeof path, CONFIG_DIR "/%d.conf", i);
        (void)snprintf(text, sizeof text, "include = { \"%d.conf\" }\n", i + 1);
        tree_write(tree, path, text);
    }
    load(tree, CONFIG_DIR "/0.conf",
         CONFIG_DIR "/62.conf:0: more than 64 files are included; put rules together\n");
}

static void test_the_file_that_a_sandbox_names(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, EGRESS_VENDOR_FILE, RULE("vendor", "a.example"));
    tree_write(tree, EGRESS_ADMIN_FILE, RULE("admin", "a.example"));
    tree_write(tree, "/etc/own.conf", RULE("own", "a.example"));
    _cleanup_(egress_freep) struct egress_policy *policy = load(tree, "/etc/own.conf", "");
    assert_int_equal(policy->n_rules, 2);
    assert_string_equal(policy->rules[0].name, "vendor");
    assert_string_equal(policy->rules[1].name, "own");

    load(tree, "/etc/gone.conf", "/etc/gone.conf:0: cannot be read: No such file or directory\n");
}

static void test_a_file_or_a_url(void **state)
{
    struct tree *tree = *state;
    _cleanup_(egress_freep) struct egress_policy *file = load_text(
        tree, "feed { url = \"https://a.example/list?x=%41\" }\nfeed { file = \"/a\" }\n");
    _cleanup_(egress_freep) struct egress_policy *url =
        load_text(tree, "feed { file = \"/a\" floor = 3 }\nfeed { url = \"http://a.example\" }\n");
    _cleanup_(egress_freep) struct egress_policy *none = load_text(tree, "feed { floor = 3 }\n");
    _cleanup_free_ char *file_path = NULL, *url_path = NULL, *no_path = NULL;

    assert_int_equal(egress_feed_path(file, "agent", &file_path), 0);
    assert_string_equal(file_path, "/a");
    assert_null(file->feed_url);
    assert_int_equal(egress_feed_path(url, "agent", &url_path), 0);
    assert_string_equal(url_path, EGRESS_FEED_DIR "/agent");
    assert_string_equal(url->feed_url, "http://a.example");
    assert_null(url->feed_file);
    assert_int_equal(url->feed_floor, 3);
    assert_int_equal(egress_feed_path(none, "agent", &no_path), 0);
    assert_null(no_path);
}

static void test_what_is_not_right(void **state)
{
    struct tree *tree = *state;
#define IN_RULE(text) "write \"a\" { hosts = { } " text " }"

    refuses(tree, "feed { file = \"feed\" }",
            "1: feed.file: \"feed\" is a relative path; begin it with /");
    refuses(tree, "\nfeed { file = \"/a\" url = \"https://a.example/\" }",
            "2: feed has a file and a url; leave one of them out");
    refuses(tree, "feed { url = \"ftp://a.example/\" }",
            "1: feed.url: \"ftp://a.example/\" is not a URL that can be fetched; use "
            "https://HOST/PATH");
    refuses(tree, "feed { url = \"https://me:secret@a.example/\" }",
            "1: feed.url: \"https://me:secret@a.example/\" is not a URL that can be fetched; use "
            "https://HOST/PATH");
    refuses(tree, "feed { url = \"https:///a\" }",
            "1: feed.url: \"https:///a\" is not a URL that can be fetched; use https://HOST/PATH");
    refuses(tree, "feed { url = \"https://a.example/a b\" }",
            "1: feed.url: \"https://a.example/a b\" is not a URL that can be fetched; use "
            "https://HOST/PATH");
    refuses(tree, "feed { floor = 0 }", "1: feed.floor: \"0\" is out of range; use 1 to 10000000");
    refuses(tree, "host { }",
            "1: host: no such section in the file; known there: include, feed, write");
    refuses(tree, "write \"a b\" { hosts = { } }",
            "1: write: \"a b\" is not the name of a rule; use 1 to 63 letters, digits, -, _ and .");
    refuses(tree, "write \"\" { hosts = { } }",
            "1: write: \"\" is not the name of a rule; use 1 to 63 letters, digits, -, _ and .");
    refuses(tree, "\n write \"read\" { hosts = { } }",
            "2: write: \"read\" stands for itself in the log; choose another name");
    refuses(tree, "write \"a\" { methods = { \"POST\" }\n paths = { \"/\" } }",
            "1: write \"a\" has no hosts; name them, or write hosts = { } to turn it off");
    refuses(tree, "write \"a\" { hosts = { \"a.example\" } paths = { \"/\" } }",
            "1: write \"a\" has no methods; name them, or write hosts = { } to turn it off");
    refuses(tree, "write \"a\" { hosts = { \"a.example\" } methods = { \"PUT\" } }",
            "1: write \"a\" has no paths; name them, or write hosts = { } to turn it off");
    refuses(
        tree, IN_RULE("hosts = {\n\"*.example.org\" }"),
        "2: write \"a\".hosts: \"*.example.org\" has a wildcard; what is sent goes to hosts that "
        "are named one by one");
    refuses(tree, IN_RULE("hosts = { \"Example.org\" }"),
            "1: write \"a\".hosts: \"Example.org\" is not the name of a host; use lower-case "
            "letters, digits, - and ., as in example.org or *.example.org");
    refuses(tree, IN_RULE("hosts = { \"a.example:0\" }"),
            "1: write \"a\".hosts: port \"0\" is out of range; use 1 to 65535");
    refuses(tree, IN_RULE("hosts = { \"a.example:\" }"),
            "1: write \"a\".hosts: port \"\" is out of range; use 1 to 65535");
    refuses(tree, IN_RULE("methods = { \"post\" }"),
            "1: write \"a\".methods: \"post\" is not a method; write it as it is sent, as in POST");
    refuses(tree, IN_RULE("methods = { \"CONNECT\" }"),
            "1: write \"a\".methods: CONNECT is never passed on; remove it");
    refuses(
        tree, IN_RULE("paths = { \"a\" }"),
        "1: write \"a\".paths: \"a\" is not a path; it begins with / and has no query, no #, no "
        "space, and two hex digits after each %");
    refuses(
        tree, IN_RULE("paths = { \"/a?b\" }"),
        "1: write \"a\".paths: \"/a?b\" is not a path; it begins with / and has no query, no #, "
        "no space, and two hex digits after each %");
    refuses(tree, IN_RULE("paths = { \"/a/../%41\" }"),
            "1: write \"a\".paths: \"/a/../%41\" would never match; write /A, as it is sent");
    refuses(tree, IN_RULE("paths = { \"/a//b\" }"),
            "1: write \"a\".paths: \"/a//b\" has an empty segment, which is never matched; write / "
            "for //");
    refuses(
        tree, IN_RULE("paths = { \"//\" }"),
        "1: write \"a\".paths: \"//\" has an empty segment, which is never matched; write / for "
        "//");
    refuses(tree, IN_RULE("paths = { \"/a**\" }"),
            "1: write \"a\".paths: \"/a**\" has ** beside other characters; it stands for whole "
            "segments, as in /a/**/b");
    refuses(tree, IN_RULE("paths = { \"/***\" }"),
            "1: write \"a\".paths: \"/***\" has ** beside other characters; it stands for whole "
            "segments, as in /a/**/b");
    refuses(tree, IN_RULE("upgrade = \"h2c\""),
            "1: write \"a\".upgrade: \"h2c\" is not \"websocket\", nor \"\" for none");
    refuses(tree, IN_RULE("upgrade = \"websocket\" methods = { \"GET\", \"POST\" }"),
            "1: write \"a\" is for WebSockets, which begin with GET; remove methods");
}

static void test_what_is_written_is_read_again(void **state)
{
    struct tree *tree = *state;
    _cleanup_(egress_freep) struct egress_policy *policy = load_text(
        tree,
        "feed { file = \"/a \\\"b\" floor = 7 }" RULE(
            "a",
            "a.example:1") "write \"off\" { hosts = { } }"
                           "write \"ws\" { hosts = { \"w.example\" } paths = { \"/**\" } upgrade = "
                           "\"websocket\" }");
    _cleanup_(egress_freep) struct egress_policy *again = NULL;
    _cleanup_free_ char *first = text_of(policy), *second = NULL;

    assert_int_equal(egress_load_snapshot(tree->root, "agent", tree_problem, tree, &again),
                     -ENOENT);
    tree_write(tree, SNAPSHOT_SPLIT_DIR "/agent" SNAPSHOT_EGRESS_SUFFIX, first);
    assert_int_equal(egress_load_snapshot(tree->root, "agent", tree_problem, tree, &again), 0);
    second = text_of(again);
    assert_string_equal(first, second);
    assert_string_equal(again->feed_file, "/a \"b");
    assert_int_equal(again->n_rules, 3);
    /* A name is no path. */
    tree_write(tree, RUN_DIR "/agent" SNAPSHOT_EGRESS_SUFFIX, first);
    assert_int_equal(egress_load_snapshot(tree->root, "../agent", tree_problem, tree, &again),
                     -ENOENT);
}

static bool allows(const struct egress_policy *policy, const char *host, const char *path)
{
    for (size_t i = 0; i < policy->n_rules; i++)
        for (char **h = policy->rules[i].hosts; *h; h++)
            for (char **p = policy->rules[i].paths; *p; p++)
                if (strcmp(*h, host) == 0 && egress_match_path(*p, path, strlen(path)))
                    return true;
    return false;
}

static char *read_whole(const char *path)
{
    _cleanup_fclose_ FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    return text;
}

static void test_shipped(void **state)
{
    struct tree *tree = *state;
    _cleanup_free_ char *text = read_whole(shipped);

    tree_write(tree, EGRESS_VENDOR_FILE, text);
    _cleanup_(egress_freep) struct egress_policy *policy = load(tree, NULL, "");

    for (size_t i = 0; i < policy->n_rules; i++) {
        assert_string_equal(policy->rules[i].methods[0], "POST");
        assert_null(policy->rules[i].methods[1]);
        assert_int_equal(policy->rules[i].upgrade, EGRESS_UPGRADE_NONE);
    }
    assert_true(allows(policy, "github.com", "/owner/repository.git/git-upload-pack"));
    assert_true(allows(policy, "gitlab.com", "/group/subgroup/repository.git/git-upload-pack"));
    assert_false(allows(policy, "github.com", "/owner/repository.git/git-receive-pack"));
    assert_false(allows(policy, "example.org", "/owner/repository.git/git-upload-pack"));
    assert_true(allows(policy, "registry.npmjs.org", "/-/npm/v1/security/advisories/bulk"));
    assert_true(allows(policy, "registry.npmjs.org", "/-/npm/v1/security/audits/quick"));
    assert_false(allows(policy, "registry.npmjs.org", "/-/npm/v1/tokens"));
    assert_false(allows(policy, "registry.npmjs.org", "/package"));
}

static void is_described(const char *page, const struct option *option)
{
    for (; option->name; option++) {
        char item[64];

        (void)snprintf(item, sizeof item, "\n.It Ic %s No = Ar %s", option->name,
                       option->type->list ? "list\n" : "");
        if (!strstr(page, item))
            fail_msg("%s is not in the page", option->name);
    }
}

static void test_manual(void **state)
{
    _cleanup_free_ char *page = read_whole(manual);
    char *example = page;
    unsigned n = 0;

    is_described(page, egress_feed_options);
    is_described(page, egress_rule_options);
    /* And its examples are right, once what they build on is there. */
    tree_write(*state, EGRESS_VENDOR_FILE,
               RULE("git-fetch", "a.example") RULE("npm-audit", "a.example"));
    while ((example = strstr(example, ".Bd -literal"))) {
        char *begin = strchr(example, '\n'), *end = strstr(begin, ".Ed\n");

        *end = '\0';
        egress_free(load_text(*state, begin));
        example = end + 1;
        n++;
    }
    assert_int_equal(n, 2);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_there),
        TEST(test_every_option),
        TEST(test_later_wins_per_option),
        TEST(test_include),
        TEST(test_include_of_what_is_not_right),
        TEST(test_include_without_end),
        TEST(test_the_file_that_a_sandbox_names),
        TEST(test_a_file_or_a_url),
        TEST(test_what_is_not_right),
        TEST(test_what_is_written_is_read_again),
        TEST(test_shipped),
        TEST(test_manual),
    };

    if (argc != 3) {
        fprintf(stderr, "usage: test-egress-policy SHIPPED-FILE PAGE\n");
        return 2;
    }
    shipped = argv[1];
    manual = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
