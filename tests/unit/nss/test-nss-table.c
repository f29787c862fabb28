/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every database has from nss-table.c, tried on passwd and group. */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANY 5000
#define LINE(name, uid) name ":x:" uid ":" uid ":Sandbox:/home/" name ":/bin/bash\n"

static struct passwd entry;
static char buffer[1024];
static int error;

static void write_many(void)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned i = 0; i < MANY; i++)
        fprintf(out, "user%u:x:%u:%u:Sandbox:/home/user%u:/bin/bash\n", i, 59000 + i, 59000 + i, i);
    assert_int_equal(fclose(out), 0);
    tree_write(NSS_PASSWD_FILE, text);
}

/* Buffers that are too small are reported as such, whatever their size, until one is not. */
static void test_erange(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, LINE("one", "59000") LINE("a-longer-name", "59001"));
    size_t size;
    enum nss_status status = NSS_STATUS_TRYAGAIN;
    for (size = 0; size < sizeof buffer && status == NSS_STATUS_TRYAGAIN; size++) {
        errno = EXDEV;
        error = 0;
        memset(buffer, 'B', sizeof buffer);
        status = _nss_sandbox_getpwnam_r("a-longer-name", &entry, buffer, size, &error);
        if (status == NSS_STATUS_TRYAGAIN)
            assert_int_equal(error, ERANGE);
        assert_int_equal(errno, EXDEV);
        assert_int_equal(buffer[size], 'B');
    }
    assert_int_equal(status, NSS_STATUS_SUCCESS);
    assert_true(size > strlen(LINE("a-longer-name", "59001")));

    /* The pointers of a group's members are in the buffer too. */
    struct group group;
    tree_write(NSS_GROUP_FILE, "one:x:59000:\n");
    status = NSS_STATUS_TRYAGAIN;
    for (size = 0; size < sizeof buffer && status == NSS_STATUS_TRYAGAIN; size++) {
        status = _nss_sandbox_getgrnam_r("one", &group, buffer, size, &error);
        assert_true(status == NSS_STATUS_SUCCESS || error == ERANGE);
    }
    assert_int_equal(status, NSS_STATUS_SUCCESS);
    assert_true((char *)(group.gr_mem + 1) <= buffer + sizeof buffer);
}

/* An enumeration gives the same entry again to who comes back with a larger buffer. */
static void test_erange_in_enumeration(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, LINE("one", "59000") LINE("two", "59001"));
    assert_int_equal(_nss_sandbox_setpwent(0), NSS_STATUS_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        for (size_t size = 0; size < 20; size++) {
            assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, size, &error),
                             NSS_STATUS_TRYAGAIN);
            assert_int_equal(error, ERANGE);
        }
        assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                         NSS_STATUS_SUCCESS);
        assert_int_equal(entry.pw_uid, 59000 + i);
    }
    assert_int_equal(_nss_sandbox_endpwent(), NSS_STATUS_SUCCESS);
}

/* No file, no directory: nothing is in force, and other services go on. */
static void test_missing(void **state)
{
    (void)state;
    assert_int_equal(rename(tree_path(RUN_DIR), tree_path("/gone")), 0);
    errno = EXDEV;
    assert_int_equal(_nss_sandbox_getpwnam_r("one", &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    assert_int_equal(_nss_sandbox_setpwent(0), NSS_STATUS_NOTFOUND);
    assert_int_equal(_nss_sandbox_endpwent(), NSS_STATUS_SUCCESS);
    assert_int_equal(rename(tree_path("/gone"), tree_path(RUN_DIR)), 0);
    assert_int_equal(errno, EXDEV);
}

/* A file that is there and cannot be read is no answer. */
static void test_unreadable(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, "");
    tree_remove(NSS_PASSWD_FILE);
    assert_int_equal(mkdir(tree_path(NSS_PASSWD_FILE), 0755), 0);
    errno = EXDEV;
    error = 0;
    assert_int_equal(_nss_sandbox_getpwnam_r("one", &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_UNAVAIL);
    assert_int_equal(error, EISDIR);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(rmdir(tree_path(NSS_PASSWD_FILE)), 0);
}

static void test_empty(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, "");
    assert_int_equal(_nss_sandbox_getpwnam_r("one", &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    assert_int_equal(_nss_sandbox_setpwent(0), NSS_STATUS_SUCCESS);
    assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    _nss_sandbox_endpwent();
}

static void test_thousands(void **state)
{
    char name[32];
    (void)state;
    write_many();
    assert_int_equal(_nss_sandbox_getpwnam_r("user4999", &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_SUCCESS);
    assert_int_equal(_nss_sandbox_getpwuid_r(59000 + MANY, &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);

    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(_nss_sandbox_setpwent(0), NSS_STATUS_SUCCESS);
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                             NSS_STATUS_SUCCESS);
            snprintf(name, sizeof name, "user%u", i);
            assert_string_equal(entry.pw_name, name);
        }
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                             NSS_STATUS_NOTFOUND);
    }
    _nss_sandbox_endpwent();
}

/* One state of the file from the first entry to the last; the next enumeration sees the next. */
static void test_replaced_while_enumerating(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, LINE("one", "59000") LINE("two", "59001"));
    _nss_sandbox_setpwent(0);
    _nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error);
    tree_write(NSS_PASSWD_FILE, LINE("three", "59002"));
    assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_SUCCESS);
    assert_string_equal(entry.pw_name, "two");
    assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    _nss_sandbox_setpwent(0);
    assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_SUCCESS);
    assert_string_equal(entry.pw_name, "three");
    _nss_sandbox_endpwent();
}

static void test_no_descriptor_stays(void **state)
{
    (void)state;
    write_many();
    unsigned before = tree_count_fds();
    _nss_sandbox_getpwnam_r("user1", &entry, buffer, sizeof buffer, &error);
    _nss_sandbox_getpwnam_r("nobody", &entry, buffer, sizeof buffer, &error);
    _nss_sandbox_getpwnam_r("user1", &entry, buffer, 3, &error);
    assert_int_equal(tree_count_fds(), before);

    _nss_sandbox_setpwent(1);
    _nss_sandbox_setpwent(1);
    _nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error);
    assert_int_equal(tree_count_fds(), before + 1);
    _nss_sandbox_endpwent();
    _nss_sandbox_endpwent();
    assert_int_equal(tree_count_fds(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_erange),
        cmocka_unit_test(test_erange_in_enumeration),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_thousands),
        cmocka_unit_test(test_replaced_while_enumerating),
        cmocka_unit_test(test_no_descriptor_stays),
    };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
