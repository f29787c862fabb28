/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "lock/process.h"

#define NAME "test) 1 2 3"

static char directory[] = "/tmp/test-process-XXXXXX";

/* Until it sleeps, as what it is, proc_pid_stat(5): only then all of it is there. */
static void wait_for(pid_t pid)
{
    for (int i = 0; i < 5000; i++) {
        char path[64], line[256] = "";
        _cleanup_fclose_ FILE *file = NULL;

        (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        file = fopen(path, "re");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        if (strncmp(strrchr(line, ')'), ") S", 3) == 0)
            return;
        usleep(1000);
    }
    fail_msg("process %d does not begin to sleep", (int)pid);
}

/* Copies /usr/bin/sleep there and runs it; with its name as the file's. */
static pid_t start(const char *name, const char *variable)
{
    char path[128];
    const char *const environment[] = { variable, NULL };
    _cleanup_close_ int from = open("/usr/bin/sleep", O_RDONLY | O_CLOEXEC), to = -EBADF;
    int channel[2];
    char byte;
    pid_t pid;

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    while (sendfile(to, from, NULL, 1 << 20) > 0)
        ;
    cleanup_closep(&to);
    to = -EBADF;
    assert_int_equal(pipe2(channel, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execle(path, name, "infinity", NULL, environment);
        _exit(127);
    }
    close(channel[1]);
    assert_int_equal(read(channel[0], &byte, 1), 0);
    close(channel[0]);
    wait_for(pid);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static void test_when_it_began(void **state)
{
    pid_t first = start(NAME, NULL), second;
    uint64_t a, b, again;

    (void)state;
    usleep(20000);
    second = start("other", NULL);
    assert_int_equal(process_started(first, &a), 0);
    assert_int_equal(process_started(second, &b), 0);
    assert_int_equal(process_started(first, &again), 0);
    assert_true(a > 0 && a < b);
    assert_true(a == again);
    end(second);
    end(first);
    assert_int_equal(process_started(first, &a), -ESRCH);
}

static void test_found_by_name_and_file(void **state)
{
    pid_t pid = 0, one = start("Runner.Worker", NULL), two;
    uint64_t started = 0, expected;

    (void)state;
    assert_int_equal(process_find("Runner.Worker", getuid(), &pid, &started), 1);
    assert_int_equal(pid, one);
    assert_int_equal(process_started(one, &expected), 0);
    assert_true(started == expected);
    assert_int_equal(process_find("Runner.Worke", getuid(), &pid, &started), 0);
    assert_int_equal(process_find("Runner.Worker", getuid() + 1, &pid, &started), 0);
    two = start("Runner.Worker2", NULL);
    assert_int_equal(process_find("Runner.Worker", getuid(), &pid, &started), 1);
    end(two);

    /* A name that a process gives itself is not enough. */
    two = fork();
    if (two == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "Runner.Worker");
        pause();
        _exit(0);
    }
    wait_for(two);
    assert_int_equal(process_find("Runner.Worker", getuid(), &pid, &started), 1);
    end(two);
    end(one);
    assert_int_equal(process_find("Runner.Worker", getuid(), &pid, &started), 0);
}

static void make_socket(const char *format, pid_t pid, char path[static 128])
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(path, 128, "%s/%s%d-1-socket", directory, format, (int)pid);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
}

/* Those of one process, in the directory that it has for such things; nothing else. */
static void test_diagnostics(void **state)
{
    char variable[160], its[128], others[128], named[128], file[128];
    pid_t pid;

    (void)state;
    (void)snprintf(variable, sizeof variable, "TMPDIR=%s", directory);
    pid = start("Runner.Worker", variable);
    make_socket("dotnet-diagnostic-", pid, its);
    make_socket("dotnet-diagnostic-1", pid, others);
    make_socket("diagnostic-", pid, named);
    (void)snprintf(file, sizeof file, "%s/clr-debug-pipe-%d-file", directory, (int)pid);
    close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));

    assert_int_equal(process_unlink_diagnostics(pid, getuid() + 1), 0);
    assert_int_equal(process_unlink_diagnostics(pid, getuid()), 1);
    assert_int_equal(access(its, F_OK), -1);
    assert_int_equal(access(others, F_OK), 0);
    assert_int_equal(access(named, F_OK), 0);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(process_unlink_diagnostics(pid, getuid()), 0);
    end(pid);

    /* Through a link nothing is removed. */
    (void)snprintf(its, sizeof its, "%s.link", directory);
    assert_int_equal(symlink(directory, its), 0);
    (void)snprintf(variable, sizeof variable, "TMPDIR=%s", its);
    pid = start("Runner.Worker", variable);
    make_socket("dotnet-diagnostic-", pid, others);
    assert_int_equal(process_unlink_diagnostics(pid, getuid()), 0);
    assert_int_equal(access(others, F_OK), 0);
    end(pid);
    assert_int_equal(unlink(its), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when_it_began),
        cmocka_unit_test(test_found_by_name_and_file),
        cmocka_unit_test(test_diagnostics),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
