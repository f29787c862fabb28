/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "systemd-generator/emit.h"

static char directory[64];
static struct emit emit;

static int set_up(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test-emit-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    emit = (struct emit){
        .directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
        .directory = directory,
        .origin = "/some/where.conf",
    };
    return emit.directory_fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    close(emit.directory_fd);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

static void read_file(const char *name, char *text, size_t size)
{
    _cleanup_close_ int fd = openat(emit.directory_fd, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t n = read(fd, text, size - 1);
    assert_true(n >= 0);
    text[n] = '\0';
}

static void test_existing_file_stays(void **state)
{
    char text[512];

    (void)state;
    assert_int_equal(emit_file(&emit, "a.d/x.conf", "it", "first\n"), 0);
    assert_int_equal(emit_file(&emit, "a.d/x.conf", "it", "second\n"), -EEXIST);
    read_file("a.d/x.conf", text, sizeof(text));
    assert_non_null(strstr(text, "first\n"));
}

static void test_link_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("target", emit.directory_fd, "x.conf"), 0);
    assert_int_equal(emit_file(&emit, "x.conf", "it", "text\n"), -EEXIST);
    assert_int_equal(emit_link(&emit, "x.conf", "/dev/null"), -EEXIST);
    assert_int_equal(faccessat(emit.directory_fd, "target", F_OK, 0), -1);
}

static void test_linked_directory_is_not_entered(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(emit.directory_fd, "elsewhere", 0755), 0);
    assert_int_equal(symlinkat("elsewhere", emit.directory_fd, "a.d"), 0);
    assert_true(emit_file(&emit, "a.d/x.conf", "it", "text\n") < 0);
    assert_int_equal(faccessat(emit.directory_fd, "elsewhere/x.conf", F_OK, 0), -1);
}

static void test_header(void **state)
{
    char text[512];

    (void)state;
    assert_int_equal(emit_file(&emit, "x.conf", "sandbox \"a\"", "[Slice]\n"), 0);
    read_file("x.conf", text, sizeof(text));
    assert_int_equal(text[0], '#');
    assert_non_null(strstr(text, "sandbox \"a\""));
    assert_non_null(strstr(text, "/some/where.conf"));
    assert_non_null(strstr(text, "\n\n[Slice]\n"));
}

static void test_link(void **state)
{
    char target[64] = { 0 };

    (void)state;
    assert_int_equal(emit_link(&emit, "t.wants/u.service", "/dev/null"), 0);
    assert_true(readlinkat(emit.directory_fd, "t.wants/u.service", target, sizeof(target) - 1) > 0);
    assert_string_equal(target, "/dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_existing_file_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_link_is_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_directory_is_not_entered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_link, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
