/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denials-mounts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char mounts[] =
    "24 30 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw\n"
    "30 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "31 30 0:35 / /tmp rw,nosuid,nodev shared:2 - tmpfs tmpfs rw\n"
    "32 30 0:40 /@home /home rw,relatime shared:3 - btrfs /dev/sdb rw\n"
    "33 30 8:1 /srv/www /var/www rw,relatime shared:4 - ext4 /dev/sda1 rw\n"
    "34 30 0:41 /a\\040b /mnt/c\\134d\\040e rw master:5 - fuse x rw\n"
    "35 30 0:42 /file /etc/one-file rw - ext4 /dev/sda2 rw\n"
    "not a mount\n"
    "36 30 0:43 /\n"
    "37 30 0:43 / /late rw - tmpfs tmpfs rw\n";

static int find(const char *text, __u32 major, __u32 minor, const char *object,
                char path[DENIAL_PATH_SIZE])
{
    struct denial denial = { .device = major << 20 | minor,
                             .object_length = (__u16)strlen(object) };
    FILE *mountinfo = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(mountinfo);
    memcpy(denial.object, object, strlen(object));
    int r = denials_mounts_find(mountinfo, &denial, path);
    fclose(mountinfo);
    return r;
}

static void assert_path(__u32 major, __u32 minor, const char *object, const char *expected)
{
    char path[DENIAL_PATH_SIZE];

    assert_int_equal(find(mounts, major, minor, object, path), 0);
    assert_string_equal(path, expected);
}

static void test_found(void **state)
{
    (void)state;
    assert_path(8, 1, "/srv/x", "/srv/x");
    assert_path(8, 1, "/", "/");
    assert_path(0, 35, "/x", "/tmp/x");
    assert_path(0, 35, "/", "/tmp");
    assert_path(0, 43, "/x", "/late/x");
    /* A part of a file system; of two mounts, the first. */
    assert_path(0, 40, "/@home/agent/x", "/home/agent/x");
    assert_path(0, 40, "/@home", "/home");
    assert_path(8, 1, "/srv/www/x", "/srv/www/x");
    assert_path(0, 42, "/file", "/etc/one-file");
    assert_path(0, 41, "/a b/x", "/mnt/c\\d e/x");
}

static void test_not_found(void **state)
{
    char path[DENIAL_PATH_SIZE];

    (void)state;
    assert_int_equal(find(mounts, 1, 8, "/x", path), -ENOENT);
    assert_int_equal(find(mounts, 0, 40, "/other/x", path), -ENOENT);
    assert_int_equal(find(mounts, 0, 40, "/@home2/x", path), -ENOENT);
    /* Its beginning is missing. */
    assert_int_equal(find(mounts, 8, 1, "x/y", path), -ENOENT);
    assert_int_equal(find(mounts, 8, 1, "", path), -ENOENT);
}

static void test_too_long(void **state)
{
    char text[DENIAL_PATH_SIZE + 64], path[DENIAL_PATH_SIZE];

    (void)state;
    int length = snprintf(text, sizeof(text), "1 2 0:1 / /");
    memset(text + length, 'x', DENIAL_PATH_SIZE);
    strcpy(text + length + DENIAL_PATH_SIZE, " rw - x\n");
    assert_int_equal(find(text, 0, 1, "/x", path), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
