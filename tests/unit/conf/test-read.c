/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "tree.h"

#define DROPIN(name) CONFIG_DROPIN_DIR "/" name

static void test_nothing_is_there(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = tree_load(tree, true, "");

    assert_int_equal(config->n_sandboxes, 0);
    assert_null(config->host.lock_user);
    assert_false(config->host.one_way);
    assert_true(config->host.deny_reads);
    assert_string_equal(config->host.reads_exempt, "Runner.Worker");
    assert_true(config->host.unlink_worker_diagnostics);
    assert_non_null(config->host.stop_services);
    assert_null(config->host.stop_services[0]);
    assert_true(config->host.kernel_policy);
    assert_true(config->host.deny_metadata);
    assert_non_null(config->run0.deny_env);
    assert_true(config->run0.limits.sessions == CONFIG_UNLIMITED);
    assert_true(config->run0.limits.tasks == CONFIG_UNLIMITED);
    assert_null(config_find_sandbox(config, "agent"));
    assert_null(config_find_sandbox_by_uid(config, 1000));
}

static void test_vendor_file_alone(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_VENDOR_FILE, "run0 { deny-env = { \"ACTIONS_*\" } }");
    _cleanup_(config_freep) struct config *config = tree_load(tree, true, "");
    assert_string_equal(config->run0.deny_env[0], "ACTIONS_*");
    assert_null(config->run0.deny_env[1]);
}

static void test_root_is_missing(void **state)
{
    struct tree *tree = *state;
    const struct config_source source = { .root = "/nonexistent/root" };
    struct config *config = NULL;

    assert_int_equal(config_load_etc(&source, tree_problem, tree, &config), -EINVAL);
    assert_string_equal(tree->problems,
                        "/nonexistent/root:0: cannot be opened: No such file or directory\n");
    assert_null(config);
}

static void test_built_in_values(void **state)
{
    _cleanup_(config_freep) struct config *config =
        tree_load_text(*state, "sandbox \"a\" { uid = 1000 }", "");
    const struct config_sandbox *a = config_find_sandbox(config, "a");

    assert_non_null(a);
    assert_ptr_equal(a, config_find_sandbox_by_uid(config, 1000));
    assert_null(config_find_sandbox_by_uid(config, 1001));
    assert_string_equal(a->name, "a");
    assert_int_equal(a->uid, 1000);
    assert_int_equal(a->subids.count, 0);
    assert_true(a->filesystem_view);
    assert_true(a->private_tmp);
    assert_null(a->groups[0]);
    assert_null(a->env[0]);
    assert_null(a->private_paths[0]);
    assert_null(a->allow_users[0]);
    assert_null(a->allow_groups[0]);
    assert_null(a->allow_env[0]);
    assert_int_equal(a->limits.sessions, 64);
    assert_int_equal(a->limits.tasks, 4096);
    assert_true(a->limits.memory == 8ULL << 30);
    assert_int_equal(a->limits.cpu_weight, 100);
    assert_true(a->limits.io_weight == CONFIG_UNLIMITED);
    assert_true(a->limits.runtime_usec == 6ULL * 3600 * 1000000);
    assert_int_equal(a->limits.open_files, 65536);
    assert_true(a->egress.proxy);
    assert_null(a->egress.allow[0]);
    assert_int_equal(a->egress.n_direct, 0);
    assert_null(a->egress.policy);
    assert_null(a->local.allow_sockets[0]);
    assert_int_equal(a->local.n_allow_tcp_ports, 0);
}

static void test_every_option(void **state)
{
    _cleanup_(config_freep) struct config *config = tree_load_text(
        *state,
        "host {\n"
        "    lock-user = \"runner\"  stop-services = { \"docker.socket\", 'docker.service' }\n"
        "    deny-metadata = false  kernel-policy = false\n"
        "}\n"
        "run0 { deny-env = { \"ACTIONS_*\", CI_TOKEN }\n"
        "    limits { tasks = 100 memory = 1G cpu-weight = 50 io-weight = 51 runtime = 2min\n"
        "             open-files = 1000 } }\n"
        "sandbox agent {\n"
        "    uid = 59000  subids = \"1785000000:65536\"  groups = { kvm, \"render\", }\n"
        "    env = { \"A=b c\" }  filesystem-view = false  private-tmp = false\n"
        "    private-paths = { /opt/hca, \"/srv\" }\n"
        "    allow-users = { runner, me } allow-groups = { ci } allow-env = { \"BUILD_*\" }\n"
        "    limits { sessions = 1 tasks = 20 memory = \"65M\" cpu-weight = 1 io-weight = 2\n"
        "             runtime = 30 open-files = \"infinity\" }\n"
        "    egress { proxy = false allow = { \"*.example.org\" }\n"
        "             direct = { \"100.64.0.7:8443\", \"[fd00::1]:53\" } policy = /etc/e.conf }\n"
        "    local { allow-sockets = { /run/a, /run/b } allow-tcp-ports = { 80, \"443\" } }\n"
        "}\n",
        "");
    const struct config_sandbox *agent = &config->sandboxes[0];
    const uint8_t v4[] = { 100, 64, 0, 7 }, v6[16] = { 0xfd, [15] = 1 };

    assert_string_equal(config->host.lock_user, "runner");
    assert_string_equal(config->host.stop_services[1], "docker.service");
    assert_null(config->host.stop_services[2]);
    assert_false(config->host.deny_metadata);
    assert_false(config->host.kernel_policy);
    assert_string_equal(config->run0.deny_env[1], "CI_TOKEN");
    assert_int_equal(config->run0.limits.tasks, 100);
    assert_true(config->run0.limits.memory == 1ULL << 30);
    assert_int_equal(config->run0.limits.cpu_weight, 50);
    assert_int_equal(config->run0.limits.io_weight, 51);
    assert_int_equal(config->run0.limits.runtime_usec, 120000000);
    assert_int_equal(config->run0.limits.open_files, 1000);
    assert_int_equal(config->n_sandboxes, 1);
    assert_int_equal(agent->uid, 59000);
    assert_int_equal(agent->subids.start, 1785000000);
    assert_int_equal(agent->subids.count, 65536);
    assert_string_equal(agent->groups[0], "kvm");
    assert_string_equal(agent->groups[1], "render");
    assert_null(agent->groups[2]);
    assert_string_equal(agent->env[0], "A=b c");
    assert_false(agent->filesystem_view);
    assert_false(agent->private_tmp);
    assert_string_equal(agent->private_paths[0], "/opt/hca");
    assert_string_equal(agent->private_paths[1], "/srv");
    assert_string_equal(agent->allow_users[1], "me");
    assert_null(agent->allow_users[2]);
    assert_string_equal(agent->allow_groups[0], "ci");
    assert_string_equal(agent->allow_env[0], "BUILD_*");
    assert_int_equal(agent->limits.sessions, 1);
    assert_int_equal(agent->limits.tasks, 20);
    assert_int_equal(agent->limits.memory, 65 << 20);
    assert_int_equal(agent->limits.cpu_weight, 1);
    assert_int_equal(agent->limits.io_weight, 2);
    assert_int_equal(agent->limits.runtime_usec, 30000000);
    assert_true(agent->limits.open_files == CONFIG_UNLIMITED);
    assert_false(agent->egress.proxy);
    assert_string_equal(agent->egress.allow[0], "*.example.org");
    assert_int_equal(agent->egress.n_direct, 2);
    assert_int_equal(agent->egress.direct[0].family, AF_INET);
    assert_memory_equal(agent->egress.direct[0].address, v4, 4);
    assert_int_equal(agent->egress.direct[0].port, 8443);
    assert_int_equal(agent->egress.direct[1].family, AF_INET6);
    assert_memory_equal(agent->egress.direct[1].address, v6, 16);
    assert_string_equal(agent->egress.policy, "/etc/e.conf");
    assert_string_equal(agent->local.allow_sockets[1], "/run/b");
    assert_int_equal(agent->local.n_allow_tcp_ports, 2);
    assert_int_equal(agent->local.allow_tcp_ports[1], 443);
}

/* Each file, and each section of one, changes what it names and nothing else. */
static void test_merging_is_by_option(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_VENDOR_FILE,
               "host { kernel-policy = false deny-metadata = false }\n"
               "run0 { deny-env = { V1, V2 } }\n");
    tree_write(
        tree, CONFIG_ADMIN_FILE,
        "sandbox \"b\" { uid = 2000 groups = { \"kvm\" } limits { tasks = 100 memory = 1G } }\n"
        "sandbox \"a\" { uid = 1000 env = { \"A=1\", \"B=1\" } }\n"
        "run0 { deny-env += { ADMIN } }\n"
        "host { deny-metadata = true lock-user = \"runner\" }\n");
    tree_write(tree, DROPIN("10-x.conf"),
               "sandbox \"b\" { groups += { \"render\" } limits { tasks = 200 } }\n"
               "sandbox \"a\" { env = { \"C=1\" } }\n"
               "sandbox \"a\" { groups += { \"video\" } }\n");
    tree_write(tree, DROPIN("9-y.conf"),
               "sandbox \"b\" { groups += { \"audio\", \"render\" } }\n"
               "host { lock-user = \"\" }\n"
               "run0 { deny-env += { } }\n");

    _cleanup_(config_freep) struct config *config = tree_load(tree, false, "");
    const struct config_sandbox *a = &config->sandboxes[0], *b = &config->sandboxes[1];

    assert_int_equal(config->n_sandboxes, 2);
    assert_string_equal(a->name, "a");
    assert_string_equal(b->name, "b");
    assert_false(config->host.kernel_policy);
    assert_true(config->host.deny_metadata);
    assert_null(config->host.lock_user);
    assert_string_equal(config->run0.deny_env[0], "V1");
    assert_string_equal(config->run0.deny_env[2], "ADMIN");
    assert_null(config->run0.deny_env[3]);
    assert_int_equal(b->uid, 2000);
    assert_int_equal(b->limits.tasks, 200);
    assert_true(b->limits.memory == 1ULL << 30);
    /* "10-x" comes before "9-y"; an entry that is there already is not there twice. */
    assert_string_equal(b->groups[0], "kvm");
    assert_string_equal(b->groups[1], "render");
    assert_string_equal(b->groups[2], "audio");
    assert_null(b->groups[3]);
    assert_string_equal(a->env[0], "C=1");
    assert_null(a->env[1]);
    assert_string_equal(a->groups[0], "video");
    assert_null(a->groups[1]);
}

static void test_lists_in_one_section(void **state)
{
    _cleanup_(config_freep) struct config *config =
        tree_load_text(*state,
                       "sandbox \"a\" { uid = 1000\n"
                       "    groups = { x } groups += { y }\n"
                       "    env += { \"A=1\" } env = { \"B=1\" }\n"
                       "    private-paths = { /srv } private-paths = { }\n"
                       "    limits { tasks = 50 } limits { sessions = 2 }\n"
                       "}\n"
                       "run0 { deny-env = { \"X\" } deny-env += { } }\n",
                       "");
    const struct config_sandbox *a = &config->sandboxes[0];

    assert_string_equal(a->groups[0], "x");
    assert_string_equal(a->groups[1], "y");
    assert_string_equal(a->env[0], "B=1");
    assert_null(a->env[1]);
    assert_null(a->private_paths[0]);
    assert_int_equal(a->limits.tasks, 50);
    assert_int_equal(a->limits.sessions, 2);
    assert_string_equal(config->run0.deny_env[0], "X");
    assert_null(config->run0.deny_env[1]);
}

static void test_which_files_are_dropins(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, DROPIN(".hidden.conf"), "broken");
    tree_write(tree, DROPIN("a.conf~"), "broken");
    tree_write(tree, DROPIN("a.conf.dpkg-old"), "broken");
    tree_write(tree, DROPIN("a.conf.dpkg-new"), "broken");
    tree_write(tree, DROPIN("README"), "broken");
    tree_write(tree, DROPIN(".conf"), "broken");
    tree_write(tree, DROPIN("Z.conf"), "sandbox \"a\" { uid = 1001 }");
    tree_write(tree, DROPIN("a.conf"), "sandbox \"a\" { uid = 1002 }");
    tree_write(tree, DROPIN("B.conf"), "sandbox \"a\" { uid = 1003 }");

    _cleanup_(config_freep) struct config *config = tree_load(tree, false, "");
    assert_int_equal(config->sandboxes[0].uid, 1002);
}

static void test_syntax_errors_name_their_line(void **state)
{
    struct tree *tree = *state;

    tree_expect(tree, "# one\nhost {\n    # two\n    colour = \"red\"\n}\n",
                "4: colour: no such option in host; known there: lock-user, one-way, "
                "lock-allow-set-id, deny-reads, reads-exempt, unlink-worker-diagnostics, "
                "stop-services, deny-metadata, kernel-policy\n");
    tree_expect(tree, "sandbox \"a\" {\n    uid = 1000\n    limits {\n        fork = 1\n    }\n}\n",
                "4: fork: no such option in limits; known there: sessions, tasks, memory, "
                "cpu-weight, io-weight, runtime, open-files\n");
    tree_expect(tree, "run0 { limits { sessions = 4 } }",
                "1: sessions: no such option in limits; known there: tasks, memory, cpu-weight, "
                "io-weight, runtime, open-files\n");
    tree_expect(tree, "\nsandboxes { }\n",
                "2: sandboxes: no such section in the file; known there: host, run0, sandbox\n");
    tree_expect(tree, "uid = 1000\n",
                "1: uid: no such section in the file; known there: host, run0, sandbox\n");
    tree_expect(tree, "sandbox {\n}\n", "1: missing title for section 'sandbox'\n");
    tree_expect(tree, "host \"x\" {\n}\n", "1: missing opening brace for section 'host'\n");
    tree_expect(tree, "sandbox \"a\" \"b\" {\n}\n",
                "1: missing opening brace for section 'sandbox'\n");
    tree_expect(tree, "sandbox \"a\" {\n    uid\n    1000\n}\n",
                "3: missing equal sign after option 'uid'\n");
    tree_expect(tree, "sandbox \"a\" {\n    uid += { 1000 }\n}\n",
                "2: attempt to append to non-list option 'uid'\n");
    tree_expect(tree, "sandbox \"a\" {\n    uid = { 1000 }\n}\n", "2: unexpected token '{'\n");
    tree_expect(tree, "sandbox \"a\" {\n    groups = { x y }\n}\n", "2: unexpected token 'y'\n");
    tree_expect(tree, "sandbox \"a\" {\n    = 1\n}\n", "2: unexpected token '='\n");
    tree_expect(tree, "host {\n    \"\" = 1\n}\n",
                "1: syntax error in the section that begins here\n");
    tree_expect(tree, "include = \"/etc/passwd\"\n",
                "1: include: no such section in the file; known there: host, run0, sandbox\n");
    tree_expect(tree, "sandbox \"a\" {\n",
                "1: the section that begins here is not closed; end it "
                "with }\n");
}

/* clang-format off */
static const char all_errors[] =
    CONFIG_ADMIN_FILE ":2: lock-user: root cannot be kept from being root; name another user\n"
    CONFIG_ADMIN_FILE ":3: kernel-policy: \"maybe\" is neither true nor false\n"
    CONFIG_ADMIN_FILE ":6: uid: \"0\" is not the id of a regular user; use 1000 to 59999\n"
    CONFIG_ADMIN_FILE ":9: groups: \"docker\" is root by another name: it starts containers as root; "
        "remove it\n"
    CONFIG_ADMIN_FILE ":10: groups: \"sudo\" is root by another name: it may use sudo or polkit; "
        "remove it\n"
    CONFIG_ADMIN_FILE ":12: wrong: no such option in sandbox; known there: uid, subids, groups, env, "
        "filesystem-view, private-tmp, private-paths, allow-users, allow-groups, allow-env, limits, "
        "egress, local\n"
    CONFIG_ADMIN_FILE ":14: sandbox: \"0day\" is not a portable user name; use 1 to 31 letters, "
        "digits, _ and -, beginning with a letter or _\n"
    CONFIG_ADMIN_FILE ":18: env: LD_PRELOAD changes what code programs load or run; remove it\n"
    DROPIN("x.conf") ":2: private-paths: \"tmp\" is a relative path; begin it with /\n"
    CONFIG_ADMIN_FILE ":17: uid: sandbox \"b\" has none; write uid = with a free id from 1000 to "
        "59999\n";
/* clang-format on */

static void test_all_errors_in_one_run(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_ADMIN_FILE,
               "host {\n"
               "    lock-user = \"root\"\n"
               "    kernel-policy = maybe\n"
               "}\n"
               "sandbox \"a\" {\n"
               "    uid = 0\n"
               "    groups = {\n"
               "        \"kvm\",\n"
               "        \"docker\",\n"
               "        \"sudo\"\n"
               "    }\n"
               "    wrong = 1\n"
               "}\n"
               "sandbox \"0day\" {\n"
               "    uid = 1001\n"
               "}\n"
               "sandbox \"b\" {\n"
               "    env = { \"LD_PRELOAD=/tmp/x.so\" }\n"
               "}\n");
    tree_write(tree, DROPIN("x.conf"), "sandbox \"b\" {\n    private-paths = { \"tmp\" }\n}\n");
    tree_load(tree, false, all_errors);
}

static void test_values_that_contradict(void **state)
{
    struct tree *tree = *state;

    tree_expect(tree, "sandbox \"a\" { uid = 60000 }\n",
                "1: uid: \"60000\" is not the id of a regular user; use 1000 to 59999\n");
    tree_expect(tree, "sandbox \"a\" {\n}\n",
                "1: uid: sandbox \"a\" has none; write uid = with a free id from 1000 to 59999\n");
    tree_expect(tree,
                "run0 { deny-env = { \"CI_*\" } }\n"
                "sandbox \"a\" {\n uid = 1000\n env = { \"OK=1\",\n \"CI_TOKEN=1\" }\n}\n",
                "5: env: CI_TOKEN is denied to every session by deny-env (\"CI_*\"); remove one of "
                "them\n");
    tree_expect(tree, "sandbox \"a\" {\n uid = 1000\n env = { \"A=1\" }\n env += { \"A=2\" }\n}\n",
                "4: env: A is set twice; remove one, or replace the list with =\n");
    tree_expect(
        tree,
        "sandbox \"a\" { uid = 1000 }\nsandbox \"b\" {\n uid = 1001\n groups = { \"a\" }\n}\n",
        "4: groups: \"a\" is a sandbox, and no sandbox reaches another; remove it\n");
    tree_expect(tree, "sandbox \"a\" { uid = 1000 }\nhost {\n lock-user = \"a\"\n}\n",
                "3: lock-user: \"a\" is a sandbox, which has no way to root as it is; name another "
                "user\n");
    tree_expect(tree,
                "sandbox \"a\" {\n uid = 1000\n private-paths = { \"/srv/a\", \"/srv\",\n"
                " \"/srv2\" }\n}\n",
                "3: private-paths: \"/srv/a\" is in \"/srv\", which is empty in a session; remove "
                "one of them\n");
}

static void test_files_of_others_are_refused(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_ADMIN_FILE, "sandbox \"a\" { uid = 1000 }");
    tree_write(tree, DROPIN("x.conf"), "");
    assert_int_equal(chmod(tree_path(tree, CONFIG_ADMIN_FILE), 0664), 0);
    tree_load(tree, false,
              CONFIG_ADMIN_FILE
              ":0: can be written by others than its owner; chmod go-w " CONFIG_ADMIN_FILE "\n");
    assert_int_equal(chmod(tree_path(tree, CONFIG_ADMIN_FILE), 0646), 0);
    tree_load(tree, false,
              CONFIG_ADMIN_FILE
              ":0: can be written by others than its owner; chmod go-w " CONFIG_ADMIN_FILE "\n");
    assert_int_equal(chmod(tree_path(tree, CONFIG_ADMIN_FILE), 0400), 0);
    config_free(tree_load(tree, false, ""));

    assert_int_equal(chmod(tree_path(tree, CONFIG_DROPIN_DIR), 0777), 0);
    tree_load(tree, false,
              CONFIG_DROPIN_DIR
              ":0: can be written by others than its owner; chmod go-w " CONFIG_DROPIN_DIR "\n");
    assert_int_equal(chmod(tree_path(tree, CONFIG_DROPIN_DIR), 0755), 0);
    assert_int_equal(chmod(tree_path(tree, CONFIG_DIR), 0775), 0);
    tree_load(tree, false,
              CONFIG_DIR ":0: can be written by others than its owner; chmod go-w " CONFIG_DIR
                         "\n");
    assert_int_equal(chmod(tree_path(tree, CONFIG_DIR), 0755), 0);

    if (geteuid() != 0)
        return;
    assert_int_equal(chown(tree_path(tree, DROPIN("x.conf")), 12345, 0), 0);
    tree_load(tree, false,
              DROPIN("x.conf") ":0: belongs to uid 12345; make it root's: chown root " DROPIN(
                  "x.conf") "\n");
}

/* clang-format off */
static const char no_files[] =
    DROPIN("dangling.conf") ":0: is a symbolic link; put the file itself in its place\n"
    DROPIN("directory.conf") ":0: is not a regular file; put one in its place\n"
    DROPIN("fifo.conf") ":0: is not a regular file; put one in its place\n"
    DROPIN("link.conf") ":0: is a symbolic link; put the file itself in its place\n";
/* clang-format on */

static void test_what_is_no_file(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_ADMIN_FILE, "sandbox \"a\" { uid = 1000 }");
    tree_write(tree, DROPIN("x.conf"), "");
    assert_int_equal(symlink("x.conf", tree_path(tree, DROPIN("link.conf"))), 0);
    assert_int_equal(symlink("gone", tree_path(tree, DROPIN("dangling.conf"))), 0);
    assert_int_equal(mkfifo(tree_path(tree, DROPIN("fifo.conf")), 0644), 0);
    assert_int_equal(mkdir(tree_path(tree, DROPIN("directory.conf")), 0755), 0);
    tree_load(tree, false, no_files);
}

static void test_what_is_no_directory(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, CONFIG_DIR, "");
    tree_load(tree, false, CONFIG_DIR ":0: cannot be read: Not a directory\n");
}

static void test_links_stay_in_the_root(void **state)
{
    struct tree *tree = *state;
    char target[128];

    /* An absolute link means the root's own directory, not the running system's. */
    tree_write(tree, "/elsewhere/pam-sandbox.conf", "sandbox \"a\" { uid = 1000 }");
    tree_write(tree, "/etc/other", "");
    assert_int_equal(symlink("/elsewhere", tree_path(tree, CONFIG_DIR)), 0);
    _cleanup_(config_freep) struct config *config = tree_load(tree, false, "");
    assert_int_equal(config->n_sandboxes, 1);

    assert_int_equal(unlink(tree_path(tree, CONFIG_DIR)), 0);
    (void)snprintf(target, sizeof target, "%s/elsewhere", tree->root);
    assert_int_equal(symlink(target, tree_path(tree, CONFIG_DIR)), 0);
    config_free(tree_load(tree, false, ""));
}

static void test_thousands_are_found(void **state)
{
    struct tree *tree = *state;
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (unsigned i = 5000; i > 0; i--)
        fprintf(out, "sandbox \"s%u\" { uid = %u subids = \"%u:65536\" }\n", i, 1000 + i,
                1000000 + (i - 1) * 65536);
    fclose(out);

    _cleanup_(config_freep) struct config *config = tree_load_text(tree, text, "");
    assert_int_equal(config->n_sandboxes, 5000);
    for (unsigned i = 1; i <= 5000; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "s%u", i);
        assert_int_equal(config_find_sandbox(config, name)->uid, 1000 + i);
    }
    assert_string_equal(config_find_sandbox_by_uid(config, 3500)->name, "s2500");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_there),
        TEST(test_vendor_file_alone),
        TEST(test_root_is_missing),
        TEST(test_built_in_values),
        TEST(test_every_option),
        TEST(test_merging_is_by_option),
        TEST(test_lists_in_one_section),
        TEST(test_which_files_are_dropins),
        TEST(test_syntax_errors_name_their_line),
        TEST(test_all_errors_in_one_run),
        TEST(test_values_that_contradict),
        TEST(test_files_of_others_are_refused),
        TEST(test_what_is_no_file),
        TEST(test_what_is_no_directory),
        TEST(test_links_stay_in_the_root),
        TEST(test_thousands_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
