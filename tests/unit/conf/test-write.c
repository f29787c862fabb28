/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "tree.h"

#define FULL                                                                                       \
    "host { lock-user = \"runner\" stop-services = { \"a.socket\", \"b.service\" }\n"              \
    "       deny-metadata = false kernel-policy = false one-way = true deny-reads = false\n"       \
    "       lock-allow-set-id = { \"/usr/bin/ping\" } reads-exempt = \"\"\n"                       \
    "       unlink-worker-diagnostics = false }\n"                                                 \
    "run0 { deny-env = { \"A*\", \"B?\" } limits { tasks = 77 memory = 3G runtime = 90s } }\n"     \
    "sandbox \"z\" { uid = 1000 }\n"                                                               \
    "sandbox \"a\" { uid = 1001 subids = \"100000:65536\" groups = { kvm } private-tmp = false\n"  \
    "    env = { \"Q=\\\"\\\\\\${HOME}'\", \"E=\" } private-paths = { \"/srv/a b\" }\n"            \
    "    allow-users = { runner } allow-groups = { \"ci\" } allow-env = { \"X_*\" }\n"             \
    "    limits { sessions = 3 io-weight = 7 memory = \"infinity\" cpu-weight = \"default\" }\n"   \
    "    egress { proxy = false allow = { example.org } policy = \"/etc/x\"\n"                     \
    "             direct = { \"1.2.3.4:5\", \"[fd00::1]:6\" } }\n"                                 \
    "    local { allow-sockets = { /run/x } allow-tcp-ports = { 1, 65535 } } }\n"

static void test_what_is_written_reads_the_same(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *first = tree_load_text(tree, FULL, "");
    _cleanup_free_ char *text = tree_text(first, false), *again = NULL, *origins = NULL;
    _cleanup_(config_freep) struct config *second = tree_load_text(tree, text, "");
    _cleanup_(config_freep) struct config *third = NULL;
    char a[SNAPSHOT_DIGEST_SIZE], b[SNAPSHOT_DIGEST_SIZE];

    again = tree_text(second, false);
    assert_string_equal(text, again);
    assert_int_equal(snapshot_digest_of(first, a), 0);
    assert_int_equal(snapshot_digest_of(second, b), 0);
    assert_string_equal(a, b);
    assert_string_equal(second->sandboxes[0].env[0], "Q=\"\\${HOME}'");
    assert_string_equal(second->sandboxes[0].env[1], "E=");
    assert_int_equal(second->sandboxes[0].egress.direct[1].port, 6);
    assert_true(second->sandboxes[0].limits.cpu_weight == CONFIG_UNLIMITED);
    assert_null(second->host.reads_exempt);
    assert_string_equal(second->host.lock_allow_set_id[0], "/usr/bin/ping");
    assert_true(second->host.one_way);

    /* Origins are comments. */
    origins = tree_text(second, true);
    third = tree_load_text(tree, origins, "");
    assert_int_equal(snapshot_digest_of(third, b), 0);
    assert_string_equal(a, b);
}

static void test_any_value_changes_the_digest(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config =
        tree_load_text(tree, "sandbox \"a\" { uid = 1000 }", "");
    char a[SNAPSHOT_DIGEST_SIZE], b[SNAPSHOT_DIGEST_SIZE];

    assert_int_equal(snapshot_digest_of(config, a), 0);
    config->sandboxes[0].limits.io_weight = 100;
    assert_int_equal(snapshot_digest_of(config, b), 0);
    assert_string_not_equal(a, b);
    config->sandboxes[0].limits.io_weight = CONFIG_UNLIMITED;
    assert_int_equal(snapshot_digest_of(config, b), 0);
    assert_string_equal(a, b);
    config->sandboxes[0].filesystem_view = false;
    assert_int_equal(snapshot_digest_of(config, b), 0);
    assert_string_not_equal(a, b);
}

/* The text with "# V:", "# A:" and "# D:" as the files' names, to be freed. */
static char *with_file_names(const char *text)
{
    static const struct {
        const char *mark, *name;
    } files[] = {
        { "# V:", "# " CONFIG_VENDOR_FILE ":" },
        { "# A:", "# " CONFIG_ADMIN_FILE ":" },
        { "# D:", "# " CONFIG_DROPIN_DIR "/1.conf:" },
    };
    char *named = NULL;
    size_t size;
    FILE *out = open_memstream(&named, &size);

    assert_non_null(out);
    while (*text) {
        size_t i = 0;

        while (i < 3 && strncmp(text, files[i].mark, 4) != 0)
            i++;
        if (i < 3)
            fputs(files[i].name, out);
        else
            fputc(*text, out);
        text += i < 3 ? 4 : 1;
    }
    assert_int_equal(fclose(out), 0);
    return named;
}

static const char shown[] = "host {\n"
                            "    one-way = false  # built in\n"
                            "    lock-allow-set-id = { }  # built in\n"
                            "    deny-reads = true  # built in\n"
                            "    reads-exempt = \"Runner.Worker\"  # built in\n"
                            "    unlink-worker-diagnostics = true  # built in\n"
                            "    stop-services = {\n"
                            "        \"a.socket\",  # A:3\n"
                            "        \"b.socket\"  # A:4\n"
                            "    }\n"
                            "    deny-metadata = true  # built in\n"
                            "    kernel-policy = false  # A:2\n"
                            "}\n"
                            "run0 {\n"
                            "    deny-env = { \"V\" }  # V:1\n"
                            "    limits {\n"
                            "        tasks = \"infinity\"  # built in\n"
                            "        memory = \"infinity\"  # built in\n"
                            "        cpu-weight = \"default\"  # built in\n"
                            "        io-weight = \"default\"  # built in\n"
                            "        runtime = \"infinity\"  # built in\n"
                            "        open-files = \"infinity\"  # built in\n"
                            "    }\n"
                            "}\n"
                            "sandbox \"a\" {\n"
                            "    uid = 1000  # A:7\n"
                            "    groups = {\n"
                            "        \"x\",  # A:8\n"
                            "        \"y\"  # D:2\n"
                            "    }\n"
                            "    env = { }  # D:1\n"
                            "    filesystem-view = true  # built in\n"
                            "    private-tmp = true  # built in\n"
                            "    private-paths = { }  # built in\n"
                            "    allow-users = { }  # built in\n"
                            "    allow-groups = { }  # built in\n"
                            "    allow-env = { }  # built in\n"
                            "    limits {\n"
                            "        sessions = 64  # built in\n"
                            "        tasks = 20  # D:4\n"
                            "        memory = \"8G\"  # built in\n"
                            "        cpu-weight = 100  # built in\n"
                            "        io-weight = \"default\"  # built in\n"
                            "        runtime = \"6h\"  # built in\n"
                            "        open-files = 65536  # built in\n"
                            "    }\n"
                            "    egress {\n"
                            "        proxy = true  # built in\n"
                            "        allow = { }  # built in\n"
                            "        direct = { }  # built in\n"
                            "    }\n"
                            "    local {\n"
                            "        allow-sockets = { }  # built in\n"
                            "        allow-tcp-ports = { }  # built in\n"
                            "    }\n"
                            "}\n";

static void test_origins(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_VENDOR_FILE, "run0 { deny-env = { \"V\" } }\n");
    tree_write(tree, CONFIG_ADMIN_FILE,
               "host {\n"
               "    kernel-policy = false\n"
               "    stop-services = { \"a.socket\",\n"
               "                      \"b.socket\" }\n"
               "}\n"
               "sandbox \"a\" {\n"
               "    uid = 1000\n"
               "    groups = { \"x\" }\n"
               "}\n");
    tree_write(tree, CONFIG_DROPIN_DIR "/1.conf",
               "sandbox \"a\" {\n"
               "    groups += { \"y\" }\n"
               "    env = { }\n"
               "    limits { tasks = 20 }\n"
               "}\n");
    _cleanup_(config_freep) struct config *config = tree_load(tree, false, "");
    _cleanup_free_ char *text = tree_text(config, true);
    _cleanup_free_ char *expected = with_file_names(shown);

    assert_string_equal(text, expected);
}

static void test_one_sandbox_alone(void **state)
{
    _cleanup_(config_freep) struct config *config = tree_load_text(*state, FULL, "");
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(config_write(config, config_find_sandbox(config, "z"), false, out), 0);
    fclose(out);
    assert_non_null(strstr(text, "host {"));
    assert_non_null(strstr(text, "run0 {"));
    assert_non_null(strstr(text, "sandbox \"z\" {"));
    assert_null(strstr(text, "sandbox \"a\" {"));
}

static void test_made_by_hand(void **state)
{
    struct tree *tree = *state;
    char *groups[] = { "kvm", NULL };
    struct config_sandbox sandbox = {
        .name = "hand",
        .uid = 1234,
        .groups = groups,
        .limits = { .sessions = 1,
                    .tasks = 99,
                    .memory = CONFIG_UNLIMITED,
                    .cpu_weight = CONFIG_UNLIMITED,
                    .io_weight = CONFIG_UNLIMITED,
                    .runtime_usec = CONFIG_UNLIMITED,
                    .open_files = CONFIG_UNLIMITED },
    };
    struct config config = { .sandboxes = &sandbox, .n_sandboxes = 1 };

    config.run0.limits = sandbox.limits;
    _cleanup_free_ char *text = tree_text(&config, true);
    _cleanup_(config_freep) struct config *read = tree_load_text(tree, text, "");
    assert_int_equal(read->sandboxes[0].uid, 1234);
    assert_int_equal(read->sandboxes[0].limits.tasks, 99);
    assert_string_equal(read->sandboxes[0].groups[0], "kvm");
    assert_false(read->sandboxes[0].private_tmp);
    assert_int_equal(read->run0.limits.tasks, 99);
    assert_null(strstr(text, "#"));
}

static void test_a_full_disk(void **state)
{
    _cleanup_(config_freep) struct config *config = tree_load_text(*state, FULL, "");
    FILE *out = fopen("/dev/full", "w");

    assert_non_null(out);
    setbuf(out, NULL);
    assert_int_equal(config_write(config, NULL, false, out), -EIO);
    fclose(out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_written_reads_the_same),
        TEST(test_any_value_changes_the_digest),
        TEST(test_origins),
        TEST(test_one_sandbox_alone),
        TEST(test_made_by_hand),
        TEST(test_a_full_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
