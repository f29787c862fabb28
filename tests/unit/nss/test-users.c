/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *no_groups[] = { NULL };
static char *kvm[] = { "kvm", NULL };
static struct config_sandbox sandboxes[2];
static struct config config;
static char messages[4096];

static void remember(const char *message, void *userdata)
{
    assert_ptr_equal(userdata, messages);
    strcat(strcat(messages, message), "\n");
}

static int write_users(void)
{
    messages[0] = '\0';
    return users_write(tree_root, &config, remember, messages);
}

static int check_users(void)
{
    messages[0] = '\0';
    return users_check(tree_root, &config, remember, messages);
}

static int setup(void **state)
{
    tree_setup(state);
    tree_write("/etc/group", "root:x:0:\nshadow:x:42:\nkvm:x:991:\nsandboxes:x:990:\n");
    sandboxes[0] = (struct config_sandbox){
        .name = "one", .uid = 59000, .subids = { 1785000000, 65536 }, .groups = kvm
    };
    sandboxes[1] = (struct config_sandbox){ .name = "two", .uid = 59001, .groups = no_groups };
    config = (struct config){ .sandboxes = sandboxes, .n_sandboxes = 2 };
    return 0;
}

static const char *content(const char *path)
{
    static char text[4096];
    _cleanup_fclose_ FILE *in = fopen(tree_path(path), "re");
    if (!in)
        return NULL;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    return text;
}

static void assert_access(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
    struct stat st;
    assert_int_equal(lstat(tree_path(path), &st), 0);
    assert_int_equal(st.st_uid, uid);
    assert_int_equal(st.st_gid, gid);
    assert_int_equal(st.st_mode & 07777, mode);
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(tree_path(path), &st) == 0;
}

static void make_state_dirs(void)
{
    assert_int_equal(mkdir(tree_path("/var"), 0755), 0);
    assert_int_equal(mkdir(tree_path("/var/lib"), 0755), 0);
    assert_int_equal(mkdir(tree_path(STATE_DIR), 0755), 0);
    assert_int_equal(mkdir(tree_path(STATE_HOME_DIR), 0755), 0);
}

static void test_files(void **state)
{
    (void)state;
    mode_t mask = umask(0777);
    assert_int_equal(write_users(), 0);
    umask(mask);
    assert_string_equal(messages, "");
    assert_string_equal(content(NSS_PASSWD_FILE),
                        "one:x:59000:59000:Sandbox:/var/lib/pam-sandbox/home/one:/bin/bash\n"
                        "two:x:59001:59001:Sandbox:/var/lib/pam-sandbox/home/two:/bin/bash\n");
    assert_string_equal(content(NSS_GROUP_FILE), "one:x:59000:\n"
                                                 "sandboxes:x:990:one\n"
                                                 "kvm:x:991:one\n"
                                                 "two:x:59001:\n"
                                                 "sandboxes:x:990:two\n");
    assert_string_equal(content(NSS_SHADOW_FILE), "one:!*:::::::\ntwo:!*:::::::\n");
    assert_string_equal(content(NSS_SUBUID_FILE), "one:1785000000:65536\n");
    assert_string_equal(content(NSS_SUBGID_FILE), "one:1785000000:65536\n");
    assert_access(NSS_PASSWD_FILE, 0, 0, 0644);
    assert_access(NSS_GROUP_FILE, 0, 0, 0644);
    assert_access(NSS_SUBUID_FILE, 0, 0, 0644);
    assert_access(NSS_SUBGID_FILE, 0, 0, 0644);
    assert_access(NSS_SHADOW_FILE, 0, 42, 0640);
    assert_access(STATE_DIR, 0, 0, 0755);
    assert_access(STATE_HOME_DIR, 0, 0, 0755);
    assert_access(STATE_HOME_DIR "/one", 59000, 59000, 0700);
    assert_access(STATE_HOME_DIR "/two", 59001, 59001, 0700);
    assert_int_equal(rmdir(tree_path(STATE_HOME_DIR "/one")), 0); /* it was empty */
}

static void test_no_group_shadow(void **state)
{
    (void)state;
    tree_write("/etc/group", "kvm:x:991:\nsandboxes:x:990:\n");
    assert_int_equal(write_users(), 0);
    assert_access(NSS_SHADOW_FILE, 0, 0, 0600);
}

/* A sandbox that is gone is gone from the files; its home stays, and so does what is in one. */
static void test_again(void **state)
{
    (void)state;
    assert_int_equal(write_users(), 0);
    tree_write(STATE_HOME_DIR "/one/work", "text");
    assert_int_equal(chmod(tree_path(STATE_HOME_DIR "/one"), 0777), 0);
    config.n_sandboxes = 1;
    assert_int_equal(write_users(), 0);
    assert_string_equal(content(NSS_PASSWD_FILE),
                        "one:x:59000:59000:Sandbox:/var/lib/pam-sandbox/home/one:/bin/bash\n");
    assert_string_equal(content(STATE_HOME_DIR "/one/work"), "text");
    assert_access(STATE_HOME_DIR "/one", 59000, 59000, 0700);
    assert_access(STATE_HOME_DIR "/two", 59001, 59001, 0700);

    config.n_sandboxes = 0;
    assert_int_equal(write_users(), 0);
    assert_string_equal(content(NSS_PASSWD_FILE), "");
}

static void test_remove(void **state)
{
    (void)state;
    assert_int_equal(write_users(), 0);
    assert_int_equal(users_remove(tree_root), 0);
    assert_false(exists(NSS_PASSWD_FILE) || exists(NSS_GROUP_FILE) || exists(NSS_SHADOW_FILE) ||
                 exists(NSS_SUBUID_FILE) || exists(NSS_SUBGID_FILE));
    assert_true(exists(STATE_HOME_DIR "/one"));
    assert_int_equal(users_remove(tree_root), 0);
    assert_int_equal(rmdir(tree_path(RUN_DIR)), 0);
    assert_int_equal(users_remove(tree_root), 0);
}

/* A writer that was killed left its files and a home without an owner. */
static void test_leftovers(void **state)
{
    (void)state;
    make_state_dirs();
    tree_write(RUN_DIR "/.passwd.new", "junk");
    assert_int_equal(mkdir(tree_path(STATE_HOME_DIR "/.new"), 0700), 0);
    assert_int_equal(write_users(), 0);
    assert_false(exists(RUN_DIR "/.passwd.new"));
    assert_false(exists(STATE_HOME_DIR "/.new"));
    assert_null(strstr(content(NSS_PASSWD_FILE), "junk"));
}

static void test_foreign_home(void **state)
{
    (void)state;
    make_state_dirs();
    assert_int_equal(mkdir(tree_path(STATE_HOME_DIR "/two"), 0700), 0);
    assert_int_equal(chown(tree_path(STATE_HOME_DIR "/two"), 1000, 59001), 0);
    assert_int_equal(check_users(), -EINVAL);
    assert_non_null(strstr(messages, "/home/two belongs to uid 1000 and not to uid 59001"));
    assert_int_equal(write_users(), -EINVAL);
    /* Before anything was written. */
    assert_false(exists(STATE_HOME_DIR "/one"));
    assert_false(exists(NSS_GROUP_FILE) || exists(NSS_PASSWD_FILE));
    assert_access(STATE_HOME_DIR "/two", 1000, 59001, 0700);
}

static void test_home_is_a_link(void **state)
{
    (void)state;
    make_state_dirs();
    assert_int_equal(mkdir(tree_path("/victim"), 0755), 0);
    assert_int_equal(chown(tree_path("/victim"), 59000, 59000), 0);
    assert_int_equal(symlink("/victim", tree_path(STATE_HOME_DIR "/one")), 0);
    assert_int_equal(write_users(), -EINVAL);
    assert_non_null(strstr(messages, "/home/one is not a directory"));
    assert_access("/victim", 59000, 59000, 0755);
    assert_false(exists(NSS_PASSWD_FILE));
}

/* Who may write to the directory of homes could exchange one while it is looked at. */
static void test_directory_of_homes(void **state)
{
    (void)state;
    make_state_dirs();
    assert_int_equal(chmod(tree_path(STATE_HOME_DIR), 0775), 0);
    assert_int_equal(write_users(), -EPERM);
    assert_non_null(strstr(messages, STATE_HOME_DIR " belongs to uid 0 with mode 0775"));
    assert_int_equal(chmod(tree_path(STATE_HOME_DIR), 0755), 0);
    assert_int_equal(chown(tree_path(STATE_HOME_DIR), 59000, 0), 0);
    assert_int_equal(write_users(), -EPERM);
    assert_false(exists(NSS_PASSWD_FILE));
    assert_int_equal(chown(tree_path(STATE_HOME_DIR), 0, 0), 0);
    assert_int_equal(write_users(), 0);
}

/* Links below the root stay below it. */
static void test_links_in_root(void **state)
{
    (void)state;
    /* A directory that is outside as well, where nothing could be made. */
    assert_int_equal(mkdir(tree_path("/proc"), 0755), 0);
    assert_int_equal(symlink("/proc", tree_path("/var")), 0);
    assert_int_equal(write_users(), 0);
    assert_access("/proc/lib/pam-sandbox/home/one", 59000, 59000, 0700);
}

static void test_groups(void **state)
{
    (void)state;
    tree_write("/etc/group", "sandboxes:x:990:\n");
    assert_int_equal(check_users(), -EINVAL);
    assert_non_null(strstr(messages, "sandbox \"one\": there is no group \"kvm\" in /etc/group"));

    tree_write("/etc/group", "kvm:x:0:\nsandboxes:x:990:\n");
    assert_int_equal(check_users(), -EINVAL);
    assert_non_null(strstr(messages, "group \"kvm\" is root's"));

    /* Each is named. */
    tree_write("/etc/group", "root:x:0:\n");
    assert_int_equal(check_users(), -EINVAL);
    assert_non_null(strstr(messages, "sandbox \"one\": there is no group \"sandboxes\""));
    assert_non_null(strstr(messages, "sandbox \"one\": there is no group \"kvm\""));
    assert_non_null(strstr(messages, "sandbox \"two\": there is no group \"sandboxes\""));
    assert_int_equal(write_users(), -EINVAL);
    assert_false(exists(NSS_GROUP_FILE));

    tree_remove("/etc/group");
    assert_int_equal(check_users(), -ENOENT);
    assert_non_null(strstr(messages, "cannot read /etc/group: No such file"));
}

static void test_names_and_uids(void **state)
{
    static char *const names[] = {
        "", "a:b", "a,b", "a b", "a\nroot::0", "../a", ".a", "+a", "-a"
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sandboxes[0].name = names[i];
        assert_int_equal(write_users(), -EINVAL);
        assert_non_null(strstr(messages, "not a user name"));
    }
    sandboxes[0].name = "one";
    static const uid_t uids[] = { 0, 999, (uid_t)-1 };
    for (size_t i = 0; i < sizeof uids / sizeof uids[0]; i++) {
        sandboxes[0].uid = uids[i];
        assert_int_equal(write_users(), -EINVAL);
        assert_non_null(strstr(messages, "is the system's"));
    }
    assert_false(exists(NSS_PASSWD_FILE));
}

/* Nothing half-way: what was in force stays when a successor cannot be written. */
static void test_cannot_write(void **state)
{
    (void)state;
    assert_int_equal(write_users(), 0);
    config.n_sandboxes = 1;
    assert_int_equal(mkdir(tree_path(RUN_DIR "/.subgid.new"), 0755), 0);
    assert_int_equal(write_users(), -EISDIR);
    assert_non_null(strstr(messages, "cannot write " NSS_SUBGID_FILE));
    assert_non_null(strstr(content(NSS_PASSWD_FILE), "two"));
    assert_non_null(strstr(content(NSS_GROUP_FILE), "two"));
    assert_false(exists(RUN_DIR "/.group.new"));
    assert_int_equal(rmdir(tree_path(RUN_DIR "/.subgid.new")), 0);

    assert_int_equal(users_write("/nonexistent/root", &config, remember, messages), -ENOENT);
    assert_non_null(strstr(messages, "cannot open the root directory /nonexistent/root"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tree_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_files),          TEST(test_no_group_shadow),    TEST(test_again),
        TEST(test_remove),         TEST(test_leftovers),          TEST(test_foreign_home),
        TEST(test_home_is_a_link), TEST(test_directory_of_homes), TEST(test_links_in_root),
        TEST(test_groups),         TEST(test_names_and_uids),     TEST(test_cannot_write),
    };
    if (geteuid() != 0) {
        puts("needs root: homes are given to their sandboxes");
        return 77; /* meson(1): skipped */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
