/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "tree.h"

#define A "sandbox \"a\" {\n    uid = 5000\n    subids = \"1000000:65536\"\n}\n"

static void expect(struct tree *tree, const char *text, const char *problems)
{
    tree_write(tree, CONFIG_ADMIN_FILE, text);
    config_free(tree_load(tree, true, problems));
}

static int setup(void **state)
{
    if (tree_setup(state) != 0)
        return -1;
    tree_write(*state, "/etc/passwd",
               "root:x:0:0:root:/root:/bin/bash\n"
               "runner:x:1001:1001::/home/runner:/bin/bash\n");
    tree_write(*state, "/etc/group",
               "root:x:0:\nkvm:x:104:\nrender:x:105:runner\ndocker:x:110:\nrunner:x:1001:\n");
    return 0;
}

static void test_a_host_that_fits(void **state)
{
    expect(*state,
           "host { lock-user = \"runner\" }\n"
           "sandbox \"a\" { uid = 1000 subids = \"100000:65536\" groups = { kvm, render } }",
           "");
}

static void test_names_that_are_taken(void **state)
{
    struct tree *tree = *state;

    expect(tree, "\nsandbox \"runner\" { uid = 5000 }",
           CONFIG_ADMIN_FILE
           ":2: sandbox: user \"runner\" is in /etc/passwd already, with uid 1001; "
           "choose another name, or remove that user\n");
    expect(tree, "sandbox \"render\" { uid = 5000 }",
           CONFIG_ADMIN_FILE
           ":1: sandbox: group \"render\" is in /etc/group already, with gid 105; "
           "choose another name, or remove that group\n");
}

static void test_groups_must_exist(void **state)
{
    struct tree *tree = *state;

    expect(tree, "sandbox \"a\" { uid = 5000\n groups = {\n \"kvm\",\n \"missing\" } }",
           CONFIG_ADMIN_FILE
           ":4: groups: there is no group \"missing\" in /etc/group; remove it, or "
           "create the group (groupadd --system missing)\n");
}

static void test_groups_with_the_id_of_root_groups(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, "/etc/group", "builders:x:110:\ndocker:x:110:\nzero:x:0:\nkvm:x:104:\n");
    expect(tree, "sandbox \"a\" { uid = 5000\n groups = { \"builders\",\n \"zero\", \"kvm\" } }",
           CONFIG_ADMIN_FILE
           ":2: groups: \"builders\" has the id of a group that is root by another "
           "name (110): it starts containers as root; remove it\n" CONFIG_ADMIN_FILE
           ":3: groups: \"zero\" has the id of a group that is root by another name "
           "(0): it owns the system's files; remove it\n");
}

static void test_lock_user_must_exist(void **state)
{
    expect(*state, "host {\n lock-user = \"nosuch\"\n}\n",
           CONFIG_ADMIN_FILE
           ":2: lock-user: there is no user \"nosuch\" in /etc/passwd; remove the "
           "line, or create the user\n");
}

static void test_lock_user_is_not_root(void **state)
{
    tree_write(*state, "/etc/passwd", "root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/root:/bin/sh\n");
    expect(*state, "host {\n lock-user = \"toor\"\n}\n",
           CONFIG_ADMIN_FILE
           ":2: lock-user: \"toor\" has root's uid, and cannot be kept from being root; name "
           "another user\n");
}

static void test_uid_of_the_host(void **state)
{
    struct tree *tree = *state;

    expect(tree, "sandbox \"a\" {\n uid = 1001\n}\n",
           CONFIG_ADMIN_FILE
           ":2: uid: sandbox \"a\" has ids of \"runner\" (1001 in /etc/group); choose "
           "others\n");
    tree_write(tree, "/etc/group", "root:x:0:\n");
    expect(tree, "sandbox \"a\" {\n uid = 1001\n}\n",
           CONFIG_ADMIN_FILE ":2: uid: sandbox \"a\" has ids of \"runner\" (1001 in /etc/passwd); "
                             "choose others\n");
    tree_write(tree, "/etc/passwd", "odd:x:1500:5000::/:/bin/sh\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE
           ":2: uid: sandbox \"a\" has ids of \"odd\" (5000 in /etc/passwd); choose "
           "others\n");
    tree_write(tree, "/etc/passwd", "big:x:1000007:100::/:/bin/sh\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE
           ":3: subids: sandbox \"a\" has ids of \"big\" (1000007 in /etc/passwd); "
           "choose others\n");
    /* "+" and "-" lines name users of other sources. */
    tree_write(tree, "/etc/passwd", "+a::5000:5000:::\n-b::5000:5000:::\n");
    tree_write(tree, "/etc/group", "+c::5000:\n-d::5000:\n");
    expect(tree, A, "");
}

static void test_subids_of_the_host(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, "/etc/subuid", "runner:100000:65536\nrunner:1065535:10\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE
           ":3: subids: sandbox \"a\" has ids of \"runner\" (1065535 to 1065544 in "
           "/etc/subuid); choose others\n");
    tree_write(tree, "/etc/subuid", "runner:1065536:10\n");
    tree_write(tree, "/etc/subgid", "1001:999999:1\nrunner:0:1000001\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE ":2: uid: sandbox \"a\" has ids of \"runner\" (0 to 1000000 in "
                             "/etc/subgid); choose others\n" CONFIG_ADMIN_FILE
                             ":3: subids: sandbox \"a\" has ids of \"runner\" (0 to 1000000 in "
                             "/etc/subgid); choose others\n");
    /* One that spans the whole of another, and one that ends beyond the last id. */
    tree_write(tree, "/etc/subgid", "x:4294967290:65536\n");
    expect(tree, A, "");
    tree_write(tree, "/etc/subgid", "x:1000010:5\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE ":3: subids: sandbox \"a\" has ids of \"x\" (1000010 to 1000014 in "
                             "/etc/subgid); choose others\n");
    tree_write(tree, "/etc/subgid", "x:900000:4294967295\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE ":3: subids: sandbox \"a\" has ids of \"x\" (900000 to 4294967294 in "
                             "/etc/subgid); choose others\n");
    /* Several in one range are told once. */
    tree_write(tree, "/etc/subgid", "x:1000010:5\ny:1000020:5\n");
    expect(tree, A,
           CONFIG_ADMIN_FILE ":3: subids: sandbox \"a\" has ids of \"x\" (1000010 to 1000014 in "
                             "/etc/subgid); choose others\n");
    /* Lines that give nobody ids. */
    tree_write(
        tree, "/etc/subgid",
        "\nx\nx:1000000\nx:1000000:0\nx:-1:65536\nx:1000000:5:5\nx:1000000: 5\n#:1000000:x\n");
    expect(tree, A, "");
}

static void test_homes(void **state)
{
    struct tree *tree = *state;
    char problem[512];

    tree_write(tree, STATE_HOME_DIR "/other/file", "");
    expect(tree, A, "");
    tree_write(tree, STATE_HOME_DIR "/a/file", "");
    (void)snprintf(problem, sizeof problem,
                   CONFIG_ADMIN_FILE ":2: uid: its home " STATE_HOME_DIR
                                     "/a belongs to uid %u; write "
                                     "uid = %u, or move the home away\n",
                   geteuid(), geteuid());
    expect(tree, A, problem);
    if (geteuid() == 0) {
        assert_int_equal(chown(tree_path(tree, STATE_HOME_DIR "/a"), 5000, 5000), 0);
        expect(tree, A, "");
    }
    assert_int_equal(unlink(tree_path(tree, STATE_HOME_DIR "/a/file")), 0);
    assert_int_equal(rmdir(tree_path(tree, STATE_HOME_DIR "/a")), 0);
    assert_int_equal(symlink("other", tree_path(tree, STATE_HOME_DIR "/a")), 0);
    expect(tree, A,
           CONFIG_ADMIN_FILE ":2: uid: its home " STATE_HOME_DIR "/a is not a directory; move it "
                             "away\n");
}

static void test_no_files_at_all(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(unlink(tree_path(tree, "/etc/passwd")), 0);
    assert_int_equal(unlink(tree_path(tree, "/etc/group")), 0);
    expect(tree, A, "");
}

static void test_what_cannot_be_read(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, STATE_DIR "/home", "");
    assert_int_equal(unlink(tree_path(tree, "/etc/group")), 0);
    assert_int_equal(symlink("group", tree_path(tree, "/etc/group")), 0);
    expect(tree, A,
           "/etc/group:0: cannot be read: Too many levels of symbolic links\n" STATE_HOME_DIR
           ":0: cannot be opened: Not a directory\n");
}

static void test_many_on_both_sides(void **state)
{
    struct tree *tree = *state;
    _cleanup_free_ char *passwd = NULL, *text = NULL;
    size_t size;
    FILE *out = open_memstream(&passwd, &size);

    for (unsigned i = 0; i < 5000; i++)
        fprintf(out, "u%u:x:%u:%u::/:/bin/sh\n", i, 10000 + i, 10000 + i);
    fclose(out);
    tree_write(tree, "/etc/passwd", passwd);
    out = open_memstream(&text, &size);
    for (unsigned i = 0; i < 5000; i++)
        fprintf(out, "sandbox \"s%u\" { uid = %u }\n", i, i == 4321 ? 10007 : 20000 + i);
    fclose(out);
    expect(tree, text,
           CONFIG_ADMIN_FILE
           ":4322: uid: sandbox \"s4321\" has ids of \"u7\" (10007 in /etc/passwd); "
           "choose others\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_a_host_that_fits),
        TEST(test_names_that_are_taken),
        TEST(test_groups_must_exist),
        TEST(test_groups_with_the_id_of_root_groups),
        TEST(test_lock_user_must_exist),
        TEST(test_lock_user_is_not_root),
        TEST(test_uid_of_the_host),
        TEST(test_subids_of_the_host),
        TEST(test_homes),
        TEST(test_no_files_at_all),
        TEST(test_what_cannot_be_read),
        TEST(test_many_on_both_sides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
