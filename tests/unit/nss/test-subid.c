/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-file.h"
#include "nss/subid.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The host's users are those of the tree's /etc/passwd, and then the sandboxes, as with
 * "passwd: files sandbox". Linked with --wrap. */
int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result);

static int find_user(const char *name, uid_t uid, struct passwd *entry, char *buffer, size_t size,
                     struct passwd **result)
{
    static const char *const paths[] = { "/etc/passwd", NSS_PASSWD_FILE };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        _cleanup_fclose_ FILE *stream = nss_file_open(paths[i]);
        while (stream && fgetpwent_r(stream, entry, buffer, size, result) == 0)
            if (name ? strcmp(entry->pw_name, name) == 0 : entry->pw_uid == uid)
                return 0;
    }
    *result = NULL;
    return 0;
}

int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result)
{
    return find_user(name, 0, entry, buffer, size, result);
}

int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result)
{
    return find_user(NULL, uid, entry, buffer, size, result);
}

static int setup(void **state)
{
    tree_setup(state);
    tree_write(NSS_PASSWD_FILE, "one:x:59000:59000:Sandbox:/home/one:/bin/bash\n"
                                "two:x:59001:59001:Sandbox:/home/two:/bin/bash\n"
                                "none:x:59002:59002:Sandbox:/home/none:/bin/bash\n");
    tree_write(NSS_SUBUID_FILE, "one:1785000000:65536\ntwo:1785065536:65536\n");
    tree_write(NSS_SUBGID_FILE, "one:1785000000:65536\ntwo:1785065536:65536\n");
    tree_write("/etc/passwd", "root:x:0:0::/root:/bin/bash\n"
                              "alice:x:1000:1000::/home/alice:/bin/bash\n"
                              "bob:x:1001:1001::/home/bob:/bin/bash\n"
                              "robert:x:1001:1001::/home/bob:/bin/bash\n"
                              "carol:x:1002:1002::/home/carol:/bin/bash\n");
    tree_write("/etc/subuid", "alice:100000:65536\n"
                              "1001:200000:1000\n"
                              "robert:300000:1000\n"
                              "alice:165536:10\n"
                              "ghost:400000:10\n"
                              "1003:500000:10\n"
                              "carol:910010:10\n"
                              "carol:910000:10\n"
                              "1002:910005:10\n"
                              /* What /etc has no say about. */
                              "one:600000:65536\n"
                              "59000:700000:65536\n"
                              "none:800000:65536\n");
    tree_write("/etc/subgid", "alice:900000:65536\n");
    return 0;
}

static bool has(const char *owner, unsigned long start, unsigned long count)
{
    bool result;
    assert_int_equal(subid_has_range(owner, start, count, ID_TYPE_UID, &result), 0);
    return result;
}

static const char *list(const char *owner, enum subid_type type)
{
    static char text[256];
    struct subid_range *ranges;
    size_t n;
    assert_int_equal(subid_list_ranges(owner, type, &ranges, &n), 0);
    assert_true(n > 0 || !ranges);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lu:%lu ", ranges[i].start,
                 ranges[i].count);
    free(ranges);
    return text;
}

static const char *owners(unsigned long id)
{
    static char text[256];
    uid_t *uids;
    size_t n;
    assert_int_equal(subid_find_owners(id, ID_TYPE_UID, &uids, &n), 0);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", uids[i]);
    free(uids);
    return text;
}

static void test_sandbox(void **state)
{
    static const char *const names[] = { "one", "59000" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(list(names[i], ID_TYPE_UID), "1785000000:65536 ");
        assert_string_equal(list(names[i], ID_TYPE_GID), "1785000000:65536 ");
        assert_true(has(names[i], 1785000000, 65536));
        assert_true(has(names[i], 1785065535, 1));
        assert_false(has(names[i], 1785000000, 65537));
        assert_false(has(names[i], 1784999999, 2));
        /* Another sandbox's, which touches its own. */
        assert_false(has(names[i], 1785065536, 1));
        assert_false(has(names[i], 1785000000, 131072));
    }
    assert_string_equal(owners(1785000000), "59000 ");
    assert_string_equal(owners(1785131071), "59001 ");
}

/* A line in /etc does not add to what the configuration says. */
static void test_etc_says_nothing_about_sandboxes(void **state)
{
    (void)state;
    assert_false(has("one", 600000, 1));
    assert_false(has("one", 700000, 1));
    assert_false(has("59000", 700000, 1));
    assert_false(has("none", 800000, 1));
    assert_string_equal(list("none", ID_TYPE_UID), "");
    assert_string_equal(owners(600000), "");
    assert_string_equal(owners(700000), "");
    assert_string_equal(owners(800000), "");
}

static void test_others(void **state)
{
    (void)state;
    assert_string_equal(list("alice", ID_TYPE_UID), "100000:65536 165536:10 ");
    assert_string_equal(list("1000", ID_TYPE_UID), "100000:65536 165536:10 ");
    assert_string_equal(list("alice", ID_TYPE_GID), "900000:65536 ");
    assert_string_equal(list("carol", ID_TYPE_GID), "");
    assert_string_equal(list("nobody-here", ID_TYPE_UID), "");
    assert_string_equal(owners(100000), "1000 ");
    assert_string_equal(owners(99999), "");

    /* Several ranges that touch. */
    assert_true(has("alice", 100000, 65546));
    assert_false(has("alice", 100000, 65547));
    assert_true(has("alice", 165535, 2));
    assert_false(has("alice", 200000, 1));
    assert_false(has("alice", 1785000000, 1));

    /* In any order, and overlapping. */
    assert_true(has("carol", 910000, 20));
    assert_false(has("carol", 910000, 21));
    assert_string_equal(owners(910007), "1002 ");

    /* By uid, and to use them by another name of the uid. */
    assert_string_equal(list("bob", ID_TYPE_UID), "200000:1000 ");
    assert_string_equal(list("robert", ID_TYPE_UID), "200000:1000 300000:1000 ");
    assert_true(has("bob", 200000, 1000));
    assert_true(has("bob", 300000, 1000));
    assert_true(has("robert", 300000, 1000));
    assert_string_equal(owners(200000), "1001 ");
    assert_string_equal(owners(300000), "1001 ");

    /* Nobody's name, nobody's uid. */
    assert_string_equal(list("ghost", ID_TYPE_UID), "400000:10 ");
    assert_true(has("ghost", 400000, 10));
    assert_string_equal(owners(400000), "");
    assert_string_equal(list("1003", ID_TYPE_UID), "500000:10 ");
    assert_true(has("1003", 500000, 10));
    assert_string_equal(owners(500000), "1003 ");
}

static void test_odd_requests(void **state)
{
    bool result;
    struct subid_range *ranges;
    uid_t *uids;
    size_t n;
    (void)state;
    assert_false(has("alice", 100000, 0));
    assert_false(has("alice", 100000, ULONG_MAX));
    assert_false(has("alice", ULONG_MAX, 1));
    assert_false(has("alice", 1UL << 32, 1));
    assert_false(has("", 100000, 1));
    assert_string_equal(list("", ID_TYPE_UID), "");
    assert_string_equal(owners(ULONG_MAX), "");
    assert_string_equal(owners(0), "");
    assert_int_equal(subid_has_range("alice", 100000, 1, 3, &result), -EINVAL);
    assert_int_equal(subid_list_ranges("alice", 0, &ranges, &n), -EINVAL);
    assert_int_equal(subid_find_owners(100000, 3, &uids, &n), -EINVAL);
}

/* A sandbox does not depend on /etc being there, nor anybody else on sandboxes being there. */
static void test_missing_files(void **state)
{
    bool result;
    (void)state;
    tree_remove("/etc/subuid");
    assert_true(has("one", 1785000000, 65536));
    assert_false(has("alice", 100000, 1));
    assert_string_equal(list("alice", ID_TYPE_UID), "");
    assert_string_equal(owners(1785000000), "59000 ");
    assert_int_equal(mkdir(tree_path("/etc/subuid"), 0755), 0);
    assert_int_equal(subid_has_range("alice", 100000, 1, ID_TYPE_UID, &result), -EISDIR);
    assert_true(has("one", 1785000000, 65536));
    assert_int_equal(rmdir(tree_path("/etc/subuid")), 0);

    assert_int_equal(setup(state), 0);
    tree_remove(NSS_PASSWD_FILE);
    tree_remove(NSS_SUBUID_FILE);
    assert_true(has("alice", 100000, 65536));
    assert_false(has("one", 1785000000, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sandbox),
        cmocka_unit_test(test_etc_says_nothing_about_sandboxes),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_odd_requests),
        cmocka_unit_test_setup_teardown(test_missing_files, setup, tree_teardown),
    };
    return cmocka_run_group_tests(tests, setup, tree_teardown);
}
