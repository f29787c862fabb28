/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static int find_device(const char *text, uint64_t mount, uint32_t *device)
{
    FILE *file = fmemopen((void *)text, strlen(text), "r");

    assert_non_null(file);
    int r = place_find_device(file, mount, device);
    fclose(file);
    return r;
}

static void test_mountinfo(void **state)
{
    static const char text[] =
        "21 1 259:0 / / rw,relatime shared:1 - ext4 /dev/nvme0n1 rw\n"
        "22 21 0:5 / /dev rw,nosuid shared:2 - devtmpfs devtmpfs rw,size=1016644k\n"
        "2 21 0:6 / /a\\040b rw - tmpfs none rw\n"
        "4294967297 21 4095:1048575 / /x rw - tmpfs none rw\n"
        "220 21 0:7 / /y rw - tmpfs none rw";
    uint32_t device = 0;

    (void)state;
    assert_int_equal(find_device(text, 21, &device), 0);
    assert_int_equal(device, PLACE_DEVICE(259, 0));
    assert_int_equal(find_device(text, 22, &device), 0);
    assert_int_equal(device, PLACE_DEVICE(0, 5));
    assert_int_equal(find_device(text, 2, &device), 0);
    assert_int_equal(device, PLACE_DEVICE(0, 6));
    assert_int_equal(find_device(text, 4294967297, &device), 0);
    assert_int_equal(device, 0xffffffff);
    assert_int_equal(find_device(text, 220, &device), 0);
    assert_int_equal(device, PLACE_DEVICE(0, 7));
    assert_int_equal(find_device(text, 1, &device), -ENOENT);
    assert_int_equal(find_device(text, 5, &device), -ENOENT);
}

static void test_mountinfo_that_is_none(void **state)
{
    uint32_t device = 12345;

    (void)state;
    assert_int_equal(find_device("\n", 0, &device), -ENOENT);
    assert_int_equal(find_device("21 1\n", 21, &device), -ENOENT);
    assert_int_equal(find_device("21 1 259\n", 21, &device), -ENOENT);
    assert_int_equal(find_device("21 1 x:0 /\n", 21, &device), -ENOENT);
    assert_int_equal(find_device("21 1 4096:0 / /\n", 21, &device), -ERANGE);
    assert_int_equal(find_device("21 1 0:1048576 / /\n", 21, &device), -ERANGE);
    assert_int_equal(device, 12345);
}

static char directory[] = "/tmp/test-place.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void make(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

    assert_true(fd >= 0);
    close(fd);
}

static int find(const char *name, struct policy_file *place)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return place_find(path, place);
}

static void test_a_file(void **state)
{
    struct policy_file place, again;
    struct stat status;

    (void)state;
    make("program");
    assert_int_equal(stat(".", &status), 0);
    assert_int_equal(find("program", &place), 0);
    assert_string_equal(place.name, "program");
    assert_int_equal(place.directory, status.st_ino);

    /* An upgrade of its package. */
    make("program.new");
    assert_int_equal(rename("program.new", "program"), 0);
    assert_int_equal(find("program", &again), 0);
    assert_memory_equal(&place, &again, sizeof(place));
    assert_int_equal(unlink("program"), 0);
}

/* Alternatives and merged directories: what counts is the file that is executed. */
static void test_links(void **state)
{
    struct policy_file place, by_link;

    (void)state;
    assert_int_equal(mkdir("bin", 0700), 0);
    make("bin/program");
    assert_int_equal(symlink("bin", "sbin"), 0);
    assert_int_equal(symlink("../sbin/program", "bin/link"), 0);
    assert_int_equal(find("bin/program", &place), 0);
    assert_int_equal(find("sbin/program", &by_link), 0);
    assert_memory_equal(&place, &by_link, sizeof(place));
    assert_int_equal(find("sbin/link", &by_link), 0);
    assert_memory_equal(&place, &by_link, sizeof(place));
    unlink("bin/link");
    unlink("bin/program");
    unlink("sbin");
    rmdir("bin");
}

static void test_no_file(void **state)
{
    char name[POLICY_NAME_SIZE + 1];
    struct policy_file place;

    (void)state;
    assert_int_equal(find("program", &place), -ENOENT);
    assert_int_equal(symlink("nowhere", "link"), 0);
    assert_int_equal(find("link", &place), -ENOENT);
    unlink("link");
    assert_int_equal(place_find("/", &place), -EISDIR);

    memset(name, 'x', POLICY_NAME_SIZE);
    name[POLICY_NAME_SIZE] = '\0';
    make(name);
    assert_int_equal(find(name, &place), -ENAMETOOLONG);
    unlink(name);
    name[POLICY_NAME_SIZE - 1] = '\0';
    make(name);
    assert_int_equal(find(name, &place), 0);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mountinfo),
        cmocka_unit_test(test_mountinfo_that_is_none),
        cmocka_unit_test_setup_teardown(test_a_file, set_up, NULL),
        cmocka_unit_test(test_links),
        cmocka_unit_test_setup_teardown(test_no_file, NULL, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
