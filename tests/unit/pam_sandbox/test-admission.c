/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "pam_sandbox/admission.h"

static char *write_file(const char *text)
{
    char *path = strdup("/tmp/test-admission-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static void services(void **state)
{
    (void)state;
    assert_int_equal(admission_service("systemd-run0"), ADMISSION_RUN0);
    assert_int_equal(admission_service("systemd-user"), ADMISSION_MANAGER);
    assert_int_equal(admission_service("systemd-user2"), ADMISSION_OTHER);
    assert_int_equal(admission_service("systemd-run"), ADMISSION_OTHER);
    assert_int_equal(admission_service("sshd"), ADMISSION_OTHER);
    assert_int_equal(admission_service(""), ADMISSION_OTHER);
}

static void services_of_the_caller(void **state)
{
    (void)state;
    assert_true(admission_is_of_caller("sudo"));
    assert_true(admission_is_of_caller("sudo-i"));
    assert_false(admission_is_of_caller("su"));
    assert_false(admission_is_of_caller("sud"));
    assert_false(admission_is_of_caller(""));
}

static void finds_by_name_and_uid(void **state)
{
    _cleanup_free_ char *path = write_file("a:x:59000:59001:Sandbox:/home/a:/bin/sh\n"
                                           "this line is none\n"
                                           "b:x:59002:59002::/home/b:/bin/bash\n");
    struct admission_user user;

    (void)state;
    assert_int_equal(admission_find_user(path, "a", 0, &user), 1);
    assert_string_equal(user.name, "a");
    assert_int_equal(user.uid, 59000);
    assert_int_equal(user.gid, 59001);
    assert_string_equal(user.home, "/home/a");
    assert_string_equal(user.shell, "/bin/sh");
    admission_user_done(&user);

    assert_int_equal(admission_find_user(path, NULL, 59002, &user), 1);
    assert_string_equal(user.name, "b");
    admission_user_done(&user);

    assert_int_equal(admission_find_user(path, "c", 0, &user), 0);
    assert_int_equal(admission_find_user(path, "", 59000, &user), 0);
    assert_int_equal(admission_find_user(path, NULL, 0, &user), 0);
    unlink(path);
}

static void missing_file_is_nobody(void **state)
{
    struct admission_user user;

    (void)state;
    assert_int_equal(admission_find_user("/nonexistent/passwd", "a", 0, &user), 0);
}

static void unreadable_file_is_an_error(void **state)
{
    struct admission_user user;

    (void)state;
    assert_int_equal(admission_find_user("/dev/null/passwd", "a", 0, &user), -ENOTDIR);
}

/* A line that does not fit must not end the search as if the user were not there. */
static void overlong_line_is_an_error(void **state)
{
    char text[10000];
    _cleanup_free_ char *path = NULL;
    struct admission_user user;

    (void)state;
    snprintf(text, sizeof text, "a:x:59000:59000:%08000d:/:/bin/sh\nb:x:59001:59001::/:/bin/sh\n",
             0);
    path = write_file(text);
    assert_int_equal(admission_find_user(path, "b", 0, &user), -ERANGE);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(services),
        cmocka_unit_test(services_of_the_caller),
        cmocka_unit_test(finds_by_name_and_uid),
        cmocka_unit_test(missing_file_is_nobody),
        cmocka_unit_test(unreadable_file_is_an_error),
        cmocka_unit_test(overlong_line_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
