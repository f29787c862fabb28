/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "tree.h"

static ino_t inode_of(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return st.st_ino;
}

static void test_paths_are_below_the_root(void **state)
{
    struct tree *tree = *state;
    _cleanup_close_ int root = root_open(tree->root), file = -EBADF, again = -EBADF;

    assert_true(root >= 0);
    tree_write(tree, "/etc/f", "");
    file = root_open_at(root, "/etc/f", O_RDONLY, 0);
    assert_true(file >= 0);
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    /* No number of .. leaves it. */
    again = root_open_at(root, "/../../../etc/f", O_RDONLY, 0);
    assert_int_equal(inode_of(file), inode_of(again));
    assert_int_equal(root_open_at(root, "/etc/passwd", O_RDONLY, 0), -ENOENT);
    assert_int_equal(root_open_at(root, "/etc/f/g", O_RDONLY, 0), -ENOTDIR);
    assert_int_equal(root_open("/nonexistent"), -ENOENT);
    close(steal_fd(&again));
    again = root_open_at(root, "/etc/new", O_WRONLY | O_CREAT | O_EXCL, 0640);
    assert_true(again >= 0);
}

/* As systemd's RestrictSUIDSGID= has it. */
static int without_openat2(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return -errno;
    return 0;
}

static void test_without_openat2(void **state)
{
    struct tree *tree = *state;
    int status;
    pid_t child;

    tree_write(tree, "/etc/passwd", "");
    child = fork();
    if (child == 0) {
        const int root = root_open(tree->root), system = root_open("");

        if (root < 0 || system < 0 || without_openat2() < 0)
            _exit(1);
        /* The running system is read, and a tree never taken for it. */
        if (root_open_at(system, "/etc/passwd", O_RDONLY, 0) < 0)
            _exit(2);
        if (root_open_at(system, "/nonexistent", O_RDONLY, 0) != -ENOENT)
            _exit(3);
        _exit(root_open_at(root, "/etc/passwd", O_RDONLY, 0) == -ENOSYS ? 0 : 4);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_paths_are_below_the_root),
        TEST(test_without_openat2),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
