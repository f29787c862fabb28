/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's side: attempts that need no session, and what they print. */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Runs an attempt with standard output in line. */
static enum attempt_result run(char *line, size_t size, char **argv)
{
    const struct attempt *attempt = attempt_find(argv[0]);
    int saved = dup(STDOUT_FILENO), argc = 0;
    enum attempt_result result;
    FILE *file = tmpfile();

    assert_non_null(attempt);
    assert_non_null(file);
    while (argv[argc])
        argc++;
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    result = attempt->run(argc, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    if (!fgets(line, (int)size, file))
        *line = '\0';
    fclose(file);
    return result;
}

#define RUN(line, ...) run(line, sizeof line, (char *[]){ __VA_ARGS__, NULL })

static void test_say(void **state)
{
    char line[512];

    (void)state;
    assert_int_equal(RUN(line, "env-name", "PAM_SANDBOX_NOT_THERE"), ATTEMPT_REFUSED);
    assert_int_equal(strncmp(line, "refused: ", strlen("refused: ")), 0);
    setenv("PAM_SANDBOX_THERE", "x", 1);
    assert_int_equal(RUN(line, "env-name", "PAM_SANDBOX_THERE"), ATTEMPT_THROUGH);
    assert_int_equal(strncmp(line, "through: ", strlen("through: ")), 0);
    assert_int_equal(RUN(line, "write"), ATTEMPT_UNTRIED);
    assert_int_equal(strncmp(line, "untried: ", strlen("untried: ")), 0);
}

static void test_env_fixed(void **state)
{
    char *only[] = { "PATH=/usr/bin", "LANG=C", NULL },
         *more[] = { "PATH=/usr/bin", "LANG=C", "SECRET=value", NULL };
    char **saved = environ, line[512];

    (void)state;
    environ = only;
    assert_int_equal(RUN(line, "env-fixed", "PATH=/usr/bin", "LANG"), ATTEMPT_REFUSED);
    assert_int_equal(RUN(line, "env-fixed", "PATH=/bin", "LANG"), ATTEMPT_THROUGH);
    assert_int_equal(RUN(line, "env-own", "PATH=/usr/bin", "TERM"), ATTEMPT_THROUGH);
    assert_int_equal(RUN(line, "env-own", "PATH=/bin"), ATTEMPT_REFUSED);
    environ = more;
    assert_int_equal(RUN(line, "env-fixed", "PATH=/usr/bin", "LANG"), ATTEMPT_THROUGH);
    environ = saved;
    /* Its name, never its value. */
    assert_non_null(strstr(line, "SECRET"));
    assert_null(strstr(line, "value "));
    assert_null(strstr(line, "=value"));
}

static void test_write(void **state)
{
    char directory[] = "/tmp/test-probes-XXXXXX", line[512], path[64];

    (void)state;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(RUN(line, "write", directory), ATTEMPT_THROUGH);
    assert_int_equal(rmdir(directory), 0); /* nothing is left in it */
    /* A directory that is not there proves nothing. */
    assert_int_equal(RUN(line, "write", directory), ATTEMPT_UNTRIED);
    assert_int_equal(RUN(line, "enter", "/"), ATTEMPT_THROUGH);
    assert_int_equal(RUN(line, "enter", directory), ATTEMPT_REFUSED);
    assert_int_equal(RUN(line, "open", "/dev/null"), ATTEMPT_THROUGH);
    snprintf(path, sizeof path, "%s/none", directory);
    assert_int_equal(RUN(line, "open", path), ATTEMPT_REFUSED);
}

static void test_process(void **state)
{
    char line[512], pid[16];

    (void)state;
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_int_equal(RUN(line, "see-process", pid), ATTEMPT_THROUGH);
    assert_int_equal(RUN(line, "see-process", "4194305"), ATTEMPT_REFUSED);
    /* There, but without the canary: that is no answer. */
    assert_int_equal(RUN(line, "environ", pid), ATTEMPT_UNTRIED);
    assert_int_equal(RUN(line, "environ", "4194305"), ATTEMPT_REFUSED);
}

static void test_handler_on_child(void **state)
{
    char line[512];

    (void)state;
    assert_int_equal(RUN(line, "handler"), ATTEMPT_THROUGH);
}

static void test_capture(void **state)
{
    char output[8];

    (void)state;
    assert_int_equal(attempt_capture((const char *const[]){ "sh", "-c", "cat; exit 3", NULL }, "in",
                                     output, sizeof output),
                     3);
    assert_string_equal(output, "in");
    assert_int_equal(attempt_capture((const char *const[]){ "sh", "-c", "kill -9 $$", NULL }, "",
                                     output, sizeof output),
                     128 + 9);
    assert_int_equal(
        attempt_capture((const char *const[]){ "/nonexistent", NULL }, "", output, sizeof output),
        -ENOENT);
    /* More than fits is read to its end, so that the program does not wait. */
    assert_int_equal(
        attempt_capture((const char *const[]){ "seq", "100000", NULL }, "", output, sizeof output),
        0);
    assert_string_equal(output, "1\n2\n3\n4");
}

static void test_last_line(void **state)
{
    char several[] = "one\ntwo\r\n\n", single[] = "one", empty[] = "";

    (void)state;
    assert_string_equal(attempt_last_line(several), "two");
    assert_string_equal(attempt_last_line(single), "one");
    assert_string_equal(attempt_last_line(empty), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_say),       cmocka_unit_test(test_env_fixed),
        cmocka_unit_test(test_write),     cmocka_unit_test(test_process),
        cmocka_unit_test(test_capture),   cmocka_unit_test(test_handler_on_child),
        cmocka_unit_test(test_last_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
