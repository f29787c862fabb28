/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which descriptors are let through, with one of each kind that a caller could have. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "entry/streams.h"

#define NOBODY 65534

static void passes(int fd, enum stream stream)
{
    const char *why = stream_refused(fd, stream, geteuid());

    assert_true(fd >= 0);
    if (why)
        fail_msg("it %s", why);
}

/* In whatever place. */
static void refused(int fd, const char *why)
{
    assert_true(fd >= 0);
    assert_string_equal(stream_refused(fd, STREAM_INPUT, geteuid()), why);
    assert_string_equal(stream_refused(fd, STREAM_OUTPUT, geteuid()), why);
    assert_non_null(stream_refused(fd, STREAM_TERMINAL, geteuid()));
    close(fd);
}

static void test_pipes(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    passes(ends[0], STREAM_INPUT);
    passes(ends[1], STREAM_OUTPUT);
    assert_string_equal(stream_refused(ends[1], STREAM_INPUT, geteuid()),
                        "is not open that way alone");
    assert_string_equal(stream_refused(ends[0], STREAM_OUTPUT, geteuid()),
                        "is not open that way alone");
    assert_string_equal(stream_refused(ends[0], STREAM_INPUT, NOBODY), "belongs to somebody else");
    assert_non_null(stream_refused(ends[0], STREAM_TERMINAL, geteuid()));

    /* Opened anew, a pipe can be both. */
    char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    int both = open(path, O_RDWR);
    assert_string_equal(stream_refused(both, STREAM_INPUT, geteuid()),
                        "is not open that way alone");
    close(both);
    close(ends[0]);
    close(ends[1]);
}

static void test_null(void **state)
{
    int fd = open("/dev/null", O_RDWR);

    (void)state;
    passes(fd, STREAM_INPUT);
    passes(fd, STREAM_OUTPUT);
    assert_null(stream_refused(fd, STREAM_INPUT, NOBODY)); /* it is nobody's in particular */
    close(fd);
    fd = open("/dev/null", O_RDONLY);
    assert_non_null(stream_refused(fd, STREAM_OUTPUT, geteuid()));
    close(fd);
    refused(open("/dev/null", O_PATH), "was opened with O_PATH");
    refused(open("/dev/zero", O_RDONLY), "is a device");
}

static void test_files(void **state)
{
    char path[] = "/tmp/test-streams-XXXXXX";
    int made = mkstemp(path), fd = open(path, O_RDONLY);

    (void)state;
    passes(fd, STREAM_INPUT);
    assert_string_equal(stream_refused(fd, STREAM_INPUT, NOBODY), "belongs to somebody else");
    assert_non_null(stream_refused(fd, STREAM_OUTPUT, geteuid()));
    assert_string_equal(stream_refused(made, STREAM_INPUT, geteuid()),
                        "is not open that way alone");
    assert_int_equal(fchmod(made, 0666), 0);
    assert_string_equal(stream_refused(fd, STREAM_INPUT, geteuid()),
                        "is a file that others may write");
    close(fd);
    fd = open(path, O_WRONLY);
    assert_string_equal(stream_refused(fd, STREAM_OUTPUT, geteuid()),
                        "is a file that it would write; pass a pipe");
    close(fd);
    refused(open(path, O_PATH), "was opened with O_PATH");
    unlink(path);
    close(made);
    refused(open("/tmp", O_RDONLY | O_DIRECTORY), "is neither a pipe nor a file");
    refused(open("/tmp", O_PATH), "was opened with O_PATH");
}

static void test_what_is_no_file(void **state)
{
    struct {
        unsigned zero[30];
    } parameters = { 0 }; /* struct io_uring_params */
    int pair[2], ring;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    refused(pair[0], "is neither a pipe nor a file");
    close(pair[1]);
    refused(socket(AF_INET, SOCK_STREAM, 0), "is neither a pipe nor a file");
    refused(epoll_create1(0), "is neither a pipe nor a file");
    refused(eventfd(0, 0), "is neither a pipe nor a file");
    refused((int)syscall(SYS_pidfd_open, getpid(), 0), "is neither a pipe nor a file");
    ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);
    if (ring >= 0) /* it may be turned off */
        refused(ring, "is neither a pipe nor a file");
    assert_string_equal(stream_refused(-1, STREAM_INPUT, geteuid()), "is no open descriptor");
    assert_string_equal(stream_refused(1000, STREAM_OUTPUT, geteuid()), "is no open descriptor");
}

static void test_terminals(void **state)
{
    int near = posix_openpt(O_RDWR | O_NOCTTY), far;

    (void)state;
    assert_true(near >= 0);
    assert_int_equal(unlockpt(near), 0);
    far = ioctl(near, TIOCGPTPEER, O_RDWR | O_NOCTTY);
    passes(far, STREAM_TERMINAL);
    assert_string_equal(stream_refused(far, STREAM_TERMINAL, NOBODY), "belongs to somebody else");
    assert_string_equal(stream_refused(far, STREAM_INPUT, geteuid()),
                        "is a terminal, which the session could type into");
    assert_string_equal(stream_refused(far, STREAM_OUTPUT, geteuid()),
                        "is a terminal, which the session could type into");
    close(far);
    far = ioctl(near, TIOCGPTPEER, O_RDONLY | O_NOCTTY);
    assert_string_equal(stream_refused(far, STREAM_TERMINAL, geteuid()),
                        "is not open that way alone");
    close(far);
    refused(near, "is a device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipes),     cmocka_unit_test(test_null),
        cmocka_unit_test(test_files),     cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_terminals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
