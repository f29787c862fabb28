/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct group entry;
static char buffer[1024];
static int error;

static enum nss_status by_name(const char *name)
{
    error = 0;
    return _nss_sandbox_getgrnam_r(name, &entry, buffer, sizeof buffer, &error);
}

static enum nss_status by_gid(gid_t gid)
{
    error = 0;
    return _nss_sandbox_getgrgid_r(gid, &entry, buffer, sizeof buffer, &error);
}

static void write_two_sandboxes(void)
{
    tree_write(NSS_GROUP_FILE, "one:x:59000:\n"
                               "sandboxes:x:990:one\n"
                               "kvm:x:991:one\n"
                               "two:x:59001:\n"
                               "sandboxes:x:990:two\n");
}

static void test_own_groups(void **state)
{
    (void)state;
    write_two_sandboxes();
    errno = EXDEV;
    assert_int_equal(by_name("two"), NSS_STATUS_SUCCESS);
    assert_string_equal(entry.gr_name, "two");
    assert_string_equal(entry.gr_passwd, "x");
    assert_int_equal(entry.gr_gid, 59001);
    assert_null(entry.gr_mem[0]);
    assert_int_equal(by_gid(59000), NSS_STATUS_SUCCESS);
    assert_string_equal(entry.gr_name, "one");
    assert_int_equal(by_name("three"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_gid(59002), NSS_STATUS_NOTFOUND);
    assert_int_equal(errno, EXDEV);
}

/* A membership's group is /etc/group's: no look-up shows it, and no enumeration. */
static void test_memberships_are_no_groups(void **state)
{
    char names[64] = "";
    (void)state;
    write_two_sandboxes();
    assert_int_equal(by_name("kvm"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_name("sandboxes"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_gid(990), NSS_STATUS_NOTFOUND);

    /* Nor one with a gid that a sandbox could have. */
    tree_write(NSS_GROUP_FILE, "one:x:59000:\nstaff:x:1000:one\ntwo:x:59001:\n");
    assert_int_equal(by_name("staff"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_gid(1000), NSS_STATUS_NOTFOUND);

    assert_int_equal(_nss_sandbox_setgrent(0), NSS_STATUS_SUCCESS);
    while (_nss_sandbox_getgrent_r(&entry, buffer, sizeof buffer, &error) == NSS_STATUS_SUCCESS)
        strcat(strcat(names, entry.gr_name), " ");
    _nss_sandbox_endgrent();
    assert_string_equal(names, "one two ");
}

static void test_refused(void **state)
{
    static const char *const lines[] = {
        "bad:x:0:\n",
        "bad:x:999:\n",
        "bad:x:4294967295:\n",
        "bad::59000:\n",
        "bad:hash:59000:\n",
        "bad:x:59000x:\n",
        "bad:x::\n",
        "bad\n",
        "+bad:x:59000:\n",
        "-bad:x:59000:\n",
        "+:::\n",
        ":x:59000:\n",
    };
    static const char *const names[] = { "bad", "+bad", "-bad", "+", "" };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%sgood:x:59009:\n", lines[i]);
        tree_write(NSS_GROUP_FILE, text);
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            assert_int_equal(by_name(names[j]), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_gid(0), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_gid(59000), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_name("good"), NSS_STATUS_SUCCESS);
    }
}

/* initgroups_dyn with a list of one, that may grow to limit; returns the gids as text. */
static enum nss_status groups_of(const char *user, gid_t primary, long limit, char text[static 64])
{
    long n = 1, size = 1;
    gid_t *gids = malloc(sizeof *gids);
    assert_non_null(gids);
    gids[0] = primary;
    error = 0;
    enum nss_status status =
        _nss_sandbox_initgroups_dyn(user, primary, &n, &size, &gids, limit, &error);
    text[0] = '\0';
    for (long i = 0; i < n; i++)
        snprintf(text + strlen(text), 64 - strlen(text), "%u ", gids[i]);
    assert_true(size >= n && (limit <= 0 || size <= limit));
    free(gids);
    return status;
}

static void test_initgroups(void **state)
{
    char gids[64];
    (void)state;
    write_two_sandboxes();
    errno = EXDEV;
    assert_int_equal(groups_of("one", 59000, 0, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59000 990 991 ");
    assert_int_equal(groups_of("two", 59001, -1, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59001 990 ");
    assert_int_equal(groups_of("three", 1000, 0, gids), NSS_STATUS_NOTFOUND);
    assert_string_equal(gids, "1000 ");
    assert_int_equal(groups_of("", 1000, 0, gids), NSS_STATUS_NOTFOUND);

    /* Its primary group once, whatever that is; limits are kept. */
    assert_int_equal(groups_of("one", 991, 0, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "991 990 ");
    assert_int_equal(groups_of("one", 59000, 2, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59000 990 ");
    assert_int_equal(groups_of("one", 59000, 3, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59000 990 991 ");
    assert_int_equal(errno, EXDEV);

    /* Not its primary group, also into a list that does not have it. */
    long n = 0, size = 0;
    gid_t *list = NULL;
    assert_int_equal(_nss_sandbox_initgroups_dyn("one", 990, &n, &size, &list, 0, &error),
                     NSS_STATUS_SUCCESS);
    assert_int_equal(n, 1);
    assert_int_equal(list[0], 991);
    free(list);
}

static void test_initgroups_awkward(void **state)
{
    _cleanup_free_ char *text = malloc(20000);
    char gids[64];
    (void)state;
    assert_non_null(text);

    /* Never group 0, nothing of a line that is not whole or not well-formed, no gid twice. */
    tree_write(NSS_GROUP_FILE, "root:x:0:one\nnobody:x:4294967295:one\n+nis:x:900:one\n"
                               ":x:901:one\nkvm:x:902:one\nkvm:x:902:one\nbad:x:9o3:one\n"
                               "many:x:904:zero,one,two\nlost:x:905:one");
    assert_int_equal(groups_of("one", 59000, 0, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59000 902 904 ");
    assert_int_equal(groups_of("on", 59000, 0, gids), NSS_STATUS_NOTFOUND);

    /* A line past every buffer of ours is passed over, and ends. */
    strcpy(text, "long:x:906:");
    memset(text + strlen(text), 'a', 15000);
    strcpy(text + strlen("long:x:906:") + 15000, ",one\nkvm:x:907:one\n");
    tree_write(NSS_GROUP_FILE, text);
    assert_int_equal(groups_of("one", 59000, 0, gids), NSS_STATUS_SUCCESS);
    assert_string_equal(gids, "59000 907 ");
    text[strlen("long:x:906:") + 15000] = '\0';
    tree_write(NSS_GROUP_FILE, text);
    assert_int_equal(groups_of("one", 59000, 0, gids), NSS_STATUS_NOTFOUND);

    tree_remove(NSS_GROUP_FILE);
    assert_int_equal(groups_of("one", 59000, 0, gids), NSS_STATUS_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_groups),
        cmocka_unit_test(test_memberships_are_no_groups),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_initgroups),
        cmocka_unit_test(test_initgroups_awkward),
    };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
