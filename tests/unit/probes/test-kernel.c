/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attempts on what the kernel policy protects, where there is none: each gets through where modes
 * let it, and is refused where they do not. */
#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/connect.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char directory[32];

/* Runs an attempt, which must have an answer other than that it knows no such thing. */
static enum attempt_result run(char **argv)
{
    const struct attempt *attempt = attempt_find(argv[0]);
    int argc = 0;

    assert_non_null(attempt);
    while (argv[argc])
        argc++;
    return attempt->run(argc, argv);
}

#define RUN(...) run((char *[]){ __VA_ARGS__, NULL })

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test-probes-XXXXXX");
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void test_set_id(void **state)
{
    char *const programs[] = { getenv("RAN_STATIC"), getenv("RAN_DYNAMIC") };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char command[PATH_MAX];

        assert_non_null(programs[i]);
        /* Executed, and not one instruction of it run. */
        assert_int_equal(RUN((char *)"set-id", programs[i]), ATTEMPT_THROUGH);
        assert_int_equal(access(TRACE, F_OK), -1);
        snprintf(command, sizeof command, "exec %s", programs[i]);
        assert_int_equal(system(command), 0);
        assert_int_equal(unlink(TRACE), 0);
    }
}

static void test_set_id_refused(void **state)
{
    _cleanup_close_ int fd = open("plain", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

    (void)state;
    assert_int_equal(RUN((char *)"set-id", (char *)"none"), ATTEMPT_REFUSED);
    assert_int_equal(fchmod(fd, 0600), 0);
    assert_int_equal(RUN((char *)"set-id", (char *)"plain"), ATTEMPT_REFUSED);
    /* No program: nothing is known of the policy. */
    assert_int_equal(fchmod(fd, 0700), 0);
    assert_int_equal(write(fd, "text", 4), 4);
    close(steal_fd(&fd));
    assert_int_equal(RUN((char *)"set-id", (char *)"plain"), ATTEMPT_UNTRIED);
    assert_int_equal(RUN((char *)"set-id", (char *)"%"), ATTEMPT_UNTRIED);
    unlink("plain");
}

static void test_connect(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        char prefix[64], word[80];
        int fd;

        snprintf(prefix, sizeof prefix, "%s/s", directory);
        connect_canary_word(word, sizeof word, prefix, i);
        assert_int_equal(RUN((char *)"connect", word), ATTEMPT_REFUSED);
        assert_true(connect_find(word) < 0);
        fd = connect_listen(word, connect_canary_type(i));
        assert_true(fd >= 0);
        assert_int_equal(connect_find(word), 0);
        assert_int_equal(RUN((char *)"connect", word), ATTEMPT_THROUGH);
        close(fd);
        /* Somebody has left it behind. */
        assert_true(connect_find(word) < 0);
        assert_int_equal(RUN((char *)"connect", word), ATTEMPT_REFUSED);
        unlink(word);

        snprintf(prefix, sizeof prefix, "@test-probes-%d", (int)getpid());
        connect_canary_word(word, sizeof word, prefix, i);
        assert_int_equal(RUN((char *)"connect", word), ATTEMPT_REFUSED);
        assert_true(connect_find(word) < 0);
        fd = connect_listen(word, connect_canary_type(i));
        assert_true(fd >= 0);
        assert_int_equal(connect_find(word), 0);
        assert_int_equal(RUN((char *)"connect", word), ATTEMPT_THROUGH);
        close(fd);
    }
}

/* The kernel shows a NUL in an abstract name as '@'. */
static void test_connect_nul(void **state)
{
    char bound[64], shown[64];
    int fd;

    (void)state;
    snprintf(bound, sizeof bound, "@test%%00probes-%d%%00%%00", (int)getpid());
    snprintf(shown, sizeof shown, "@test@probes-%d@@", (int)getpid());
    fd = connect_listen(bound, SOCK_STREAM);
    assert_true(fd >= 0);
    assert_int_equal(connect_find(shown), 0);
    assert_int_equal(RUN((char *)"connect", shown), ATTEMPT_THROUGH);
    close(fd);
    assert_int_equal(RUN((char *)"connect", shown), ATTEMPT_REFUSED);
}

static void test_connect_own(void **state)
{
    char path[64], name[64];

    (void)state;
    snprintf(path, sizeof path, "%s/own", directory);
    snprintf(name, sizeof name, "@test-probes-%d-own", (int)getpid());
    assert_int_equal(RUN((char *)"connect-own", path), ATTEMPT_THROUGH);
    assert_int_equal(RUN((char *)"connect-own", name), ATTEMPT_THROUGH);
    snprintf(path, sizeof path, "%s/none/own", directory);
    assert_int_equal(RUN((char *)"connect-own", path), ATTEMPT_REFUSED);
    assert_int_equal(RUN((char *)"connect", (char *)"@"), ATTEMPT_UNTRIED);
}

static void test_world(void **state)
{
    char *both[] = { (char *)"world-write", directory, (char *)"/nonexistent", NULL };

    (void)state;
    /* Nothing there is no refusal. */
    assert_int_equal(RUN((char *)"world-write", directory), ATTEMPT_UNTRIED);
    close(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(mkdir("directory", 0700), 0);
    assert_int_equal(RUN((char *)"world-write", directory), ATTEMPT_THROUGH);
    assert_int_equal(RUN((char *)"world-write-all", directory), ATTEMPT_THROUGH);
    both[0] = (char *)"world-write-all";
    assert_int_equal(run(both), ATTEMPT_UNTRIED);
    assert_int_equal(RUN((char *)"world-own", directory), ATTEMPT_THROUGH);
    /* It must not have been open for everybody to begin with. */
    assert_int_equal(RUN((char *)"world-write-late", directory), ATTEMPT_UNTRIED);
    unlink("file");
    assert_int_equal(rmdir("directory"), 0);
}

static void test_process(void **state)
{
    char pid[16];

    (void)state;
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_int_equal(RUN((char *)"signal", pid), ATTEMPT_THROUGH);
    assert_int_equal(RUN((char *)"look-into", pid), ATTEMPT_THROUGH);
    assert_int_equal(RUN((char *)"signal", (char *)"4194305"), ATTEMPT_REFUSED);
    assert_int_equal(RUN((char *)"look-into", (char *)"4194305"), ATTEMPT_REFUSED);
    /* Everybody, and whom kill(2) takes for a group. */
    assert_int_equal(RUN((char *)"signal", (char *)"-1"), ATTEMPT_UNTRIED);
    assert_int_equal(RUN((char *)"signal", (char *)"0"), ATTEMPT_UNTRIED);
}

static void test_pins(void **state)
{
    char none[] = "/nonexistent";

    (void)state;
    assert_int_equal(RUN((char *)"make-pin", directory), ATTEMPT_THROUGH);
    assert_int_equal(RUN((char *)"make-pin", none), ATTEMPT_REFUSED);
    assert_int_equal(RUN((char *)"open-pin", (char *)"read", none), ATTEMPT_REFUSED);
    assert_int_equal(RUN((char *)"open-pin", (char *)"write", none), ATTEMPT_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_id),      cmocka_unit_test(test_set_id_refused),
        cmocka_unit_test(test_connect),     cmocka_unit_test(test_connect_nul),
        cmocka_unit_test(test_connect_own), cmocka_unit_test(test_world),
        cmocka_unit_test(test_process),     cmocka_unit_test(test_pins),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
