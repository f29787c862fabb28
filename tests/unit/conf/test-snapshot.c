/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "tree.h"

#define SPLIT(name) SNAPSHOT_SPLIT_DIR "/" name ".conf"

static struct config *load(struct tree *tree, const char *text)
{
    return tree_load_text(tree, text, "");
}

static void write_snapshot(struct tree *tree, const char *text)
{
    _cleanup_(config_freep) struct config *config = load(tree, text);

    assert_int_equal(snapshot_write(tree->root, config), 0);
}

static mode_t mode_of(struct tree *tree, const char *path)
{
    struct stat st;

    assert_int_equal(lstat(tree_path(tree, path), &st), 0);
    return st.st_mode & 07777;
}

static bool exists(struct tree *tree, const char *path)
{
    return access(tree_path(tree, path), F_OK) == 0;
}

/* Entries of RUN_DIR, to see that nothing is left. */
static unsigned count_entries(struct tree *tree, const char *path)
{
    _cleanup_closedir_ DIR *dir = opendir(tree_path(tree, path));
    unsigned n = 0;

    assert_non_null(dir);
    while (readdir(dir))
        n++;
    return n - 2;
}

#define TWO                                                                                        \
    "host { kernel-policy = false }\nsandbox \"a\" { uid = 1000 }\nsandbox \"b\" { uid = 1001 }"

static void test_nothing_in_force(void **state)
{
    struct tree *tree = *state;
    struct config *config = NULL;
    char digest[SNAPSHOT_DIGEST_SIZE];

    for (int made = 0; made < 2; made++) {
        assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &config), -ENOENT);
        assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &config),
                         -ENOENT);
        assert_int_equal(config_load_snapshot_of(tree->root, NULL, tree_problem, tree, &config),
                         -ENOENT);
        assert_int_equal(snapshot_digest(tree->root, digest), -ENOENT);
        assert_int_equal(snapshot_ready(tree->root, digest), -ENOENT);
        assert_int_equal(snapshot_remove(tree->root), 0);
        assert_int_equal(snapshot_clear_ready(tree->root), 0);
        assert_string_equal(tree->problems, "");
        assert_null(config);
        /* And again with the directory. */
        close(snapshot_lock(tree->root, false, 0));
        assert_true(exists(tree, RUN_DIR));
    }
}

static void test_what_is_written_is_in_force(void **state)
{
    struct tree *tree = *state;
    _cleanup_(config_freep) struct config *config = load(tree, TWO), *whole = NULL, *a = NULL;
    _cleanup_(config_freep) struct config *host = NULL;
    char of[SNAPSHOT_DIGEST_SIZE], stands[SNAPSHOT_DIGEST_SIZE];

    assert_int_equal(snapshot_write(tree->root, config), 0);
    assert_int_equal(snapshot_digest_of(config, of), 0);
    assert_int_equal(snapshot_digest(tree->root, stands), 0);
    assert_string_equal(of, stands);
    assert_int_equal(strlen(of), 64);
    assert_int_equal(strspn(of, "0123456789abcdef"), 64);

    assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &whole), 0);
    assert_int_equal(whole->n_sandboxes, 2);
    assert_int_equal(snapshot_digest_of(whole, of), 0);
    assert_string_equal(of, stands);

    assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &a), 0);
    assert_int_equal(a->n_sandboxes, 1);
    assert_int_equal(a->sandboxes[0].uid, 1000);
    assert_false(a->host.kernel_policy);
    assert_int_equal(config_load_snapshot_of(tree->root, NULL, tree_problem, tree, &host), 0);
    assert_int_equal(host->n_sandboxes, 0);
    assert_false(host->host.kernel_policy);
    assert_string_equal(tree->problems, "");

    /* No edit of /etc changes it. */
    tree_write(tree, CONFIG_ADMIN_FILE, "broken");
    config_free(whole);
    whole = NULL;
    assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &whole), 0);
}

/* sha256sum(1) says the same of the file. */
static void test_the_digest_is_sha256(void **state)
{
    struct tree *tree = *state;
    char command[256], line[128] = "", digest[SNAPSHOT_DIGEST_SIZE];
    FILE *sum;

    write_snapshot(tree, TWO);
    assert_int_equal(snapshot_digest(tree->root, digest), 0);
    (void)snprintf(command, sizeof command, "sha256sum %s%s", tree->root, SNAPSHOT_FILE);
    sum = popen(command, "r");
    assert_non_null(sum);
    assert_non_null(fgets(line, sizeof line, sum));
    assert_int_equal(pclose(sum), 0);
    line[64] = '\0';
    assert_string_equal(line, digest);
}

static void test_modes_whatever_the_umask(void **state)
{
    struct tree *tree = *state;
    const mode_t old = umask(077);

    write_snapshot(tree, TWO);
    assert_int_equal(snapshot_set_ready(
                         tree->root, "0123456789012345678901234567890123456789012345678901234567890"
                                     "123"),
                     0);
    close(snapshot_lock(tree->root, true, 0));
    umask(old);
    assert_int_equal(mode_of(tree, "/run"), 0755);
    assert_int_equal(mode_of(tree, RUN_DIR), 0755);
    assert_int_equal(mode_of(tree, SNAPSHOT_FILE), 0644);
    assert_int_equal(mode_of(tree, SNAPSHOT_SPLIT_DIR), 0755);
    assert_int_equal(mode_of(tree, SPLIT("a")), 0644);
    assert_int_equal(mode_of(tree, READY_FILE), 0644);
    assert_int_equal(mode_of(tree, POLICY_LOCK_FILE), 0600);
}

static void test_what_is_gone_is_gone(void **state)
{
    struct tree *tree = *state;
    struct config *config = NULL;

    write_snapshot(tree, TWO);
    assert_true(exists(tree, SPLIT("a")) && exists(tree, SPLIT("b")));
    write_snapshot(tree, "sandbox \"b\" { uid = 1001 }");
    assert_false(exists(tree, SPLIT("a")));
    assert_true(exists(tree, SPLIT("b")));
    assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &config),
                     -ENOENT);
    assert_int_equal(count_entries(tree, RUN_DIR), 2);
    assert_int_equal(snapshot_remove(tree->root), 0);
    assert_int_equal(count_entries(tree, RUN_DIR), 0);
}

static void test_after_a_writer_that_was_killed(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, RUN_DIR "/.in-force.new/x.conf", "half");
    tree_write(tree, RUN_DIR "/.in-force.conf.new", "half");
    write_snapshot(tree, TWO);
    assert_int_equal(count_entries(tree, RUN_DIR), 2);
    /* Two each, the host's, the digest. */
    assert_int_equal(count_entries(tree, SNAPSHOT_SPLIT_DIR), 6);
}

/* What cannot be written leaves what stood there, all of it. */
static void test_a_failure_changes_nothing(void **state)
{
    struct tree *tree = *state;
    char before[SNAPSHOT_DIGEST_SIZE], after[SNAPSHOT_DIGEST_SIZE];
    _cleanup_(config_freep) struct config *next = load(tree, "sandbox \"c\" { uid = 1002 }");
    struct config *config = NULL;

    write_snapshot(tree, TWO);
    assert_int_equal(snapshot_digest(tree->root, before), 0);

    /* A directory in its way: the last step fails. */
    tree_write(tree, RUN_DIR "/.in-force.conf.new/x", "");
    assert_int_equal(snapshot_write(tree->root, next), -EEXIST);
    assert_int_equal(snapshot_digest(tree->root, after), 0);
    assert_string_equal(before, after);
    assert_true(exists(tree, SPLIT("a")) && exists(tree, SPLIT("b")));
    assert_false(exists(tree, SPLIT("c")));
    assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &config), 0);
    config_free(config);

    /* The same when nothing was in force. */
    assert_int_equal(snapshot_remove(tree->root), 0);
    assert_int_equal(snapshot_write(tree->root, next), -EEXIST);
    assert_false(exists(tree, SNAPSHOT_FILE));
    assert_false(exists(tree, SNAPSHOT_SPLIT_DIR));

    /* A name that is no name of a file: the first step fails. */
    assert_int_equal(unlink(tree_path(tree, RUN_DIR "/.in-force.conf.new/x")), 0);
    assert_int_equal(rmdir(tree_path(tree, RUN_DIR "/.in-force.conf.new")), 0);
    write_snapshot(tree, TWO);
    free(next->sandboxes[0].name);
    next->sandboxes[0].name = strdup("no/name");
    assert_int_equal(snapshot_write(tree->root, next), -ENOENT);
    assert_int_equal(snapshot_digest(tree->root, after), 0);
    assert_string_equal(before, after);
    assert_int_equal(count_entries(tree, RUN_DIR), 2);
}

static void test_names_are_no_paths(void **state)
{
    struct tree *tree = *state;
    struct config *config = NULL;

    write_snapshot(tree, TWO);
    tree_write(tree, RUN_DIR "/x.conf", "sandbox \"a\" { uid = 1000 }");
    assert_int_equal(config_load_snapshot_of(tree->root, "../x", tree_problem, tree, &config),
                     -ENOENT);
    assert_int_equal(config_load_snapshot_of(tree->root, "", tree_problem, tree, &config), -ENOENT);
    assert_int_equal(config_load_snapshot_of(tree->root, "root", tree_problem, tree, &config),
                     -ENOENT);
    assert_string_equal(tree->problems, "");
}

static void test_a_broken_snapshot_is_refused(void **state)
{
    struct tree *tree = *state;
    struct config *config = NULL;

    write_snapshot(tree, TWO);
    tree_write(tree, SPLIT("a"), "sandbox \"b\" { uid = 1001 }");
    assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &config),
                     -EINVAL);
    assert_string_equal(tree->problems, SPLIT("a") ":0: does not describe the sandbox that it is "
                                                   "named after; run sandboxctl apply\n");
    tree->problems[0] = '\0';
    tree_write(tree, SPLIT("a"), "sandbox \"a\" { uid = 1001");
    assert_int_equal(config_load_snapshot_of(tree->root, "a", tree_problem, tree, &config),
                     -EINVAL);
    assert_string_equal(tree->problems,
                        SPLIT("a") ":1: the section that begins here is not closed; "
                                   "end it with }\n");
    tree->problems[0] = '\0';
    tree_write(tree, SPLIT("a"), "");
    assert_int_equal(config_load_snapshot_of(tree->root, "a", NULL, NULL, &config), -EINVAL);
    assert_int_equal(chmod(tree_path(tree, SNAPSHOT_FILE), 0666), 0);
    assert_int_equal(config_load_snapshot(tree->root, tree_problem, tree, &config), -EINVAL);
    assert_string_equal(tree->problems, SNAPSHOT_FILE
                        ":0: can be written by others than its owner; chmod go-w " SNAPSHOT_FILE
                        "\n");
    assert_null(config);
}

static void *load_often(void *argument)
{
    const char *root = argument;
    intptr_t wrong = 0;

    for (unsigned i = 0; i < 100; i++) {
        _cleanup_(config_freep) struct config *config = NULL;
        const char *name = i % 2 ? "a" : "b";

        if (config_load_snapshot_of(root, name, NULL, NULL, &config) < 0 ||
            strcmp(config->sandboxes[0].name, name) != 0)
            wrong++;
    }
    return (void *)wrong;
}

/* libconfuse's scanner is one for the process. */
static void test_threads(void **state)
{
    struct tree *tree = *state;
    pthread_t threads[8];

    write_snapshot(tree, TWO);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_often, tree->root), 0);
    for (unsigned i = 0; i < 8; i++) {
        void *wrong;

        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static void test_ready(void **state)
{
    struct tree *tree = *state;
    char digest[SNAPSHOT_DIGEST_SIZE], ready[SNAPSHOT_DIGEST_SIZE];

    write_snapshot(tree, TWO);
    assert_int_equal(snapshot_digest(tree->root, digest), 0);
    assert_int_equal(snapshot_ready(tree->root, ready), -ENOENT);
    assert_int_equal(snapshot_set_ready(tree->root, "abc"), -EINVAL);
    assert_int_equal(snapshot_ready(tree->root, ready), -ENOENT);
    assert_int_equal(snapshot_set_ready(tree->root, digest), 0);
    assert_int_equal(snapshot_ready(tree->root, ready), 0);
    assert_string_equal(ready, digest);

    /* What is in force since is not what was proven. */
    write_snapshot(tree, "sandbox \"b\" { uid = 1001 }");
    assert_int_equal(snapshot_ready(tree->root, ready), -ESTALE);
    assert_int_equal(snapshot_digest(tree->root, digest), 0);
    assert_int_equal(snapshot_set_ready(tree->root, digest), 0);
    assert_int_equal(snapshot_ready(tree->root, ready), 0);
    assert_int_equal(snapshot_clear_ready(tree->root), 0);
    assert_int_equal(snapshot_ready(tree->root, ready), -ENOENT);

    /* Half a digest, a longer one, none. */
    for (int i = 0; i < 3; i++) {
        char text[SNAPSHOT_DIGEST_SIZE + 8];

        (void)snprintf(text, sizeof text, i == 0 ? "%.32s\n" : i == 1 ? "%sab\n" : "", digest);
        tree_write(tree, READY_FILE, text);
        assert_int_equal(snapshot_ready(tree->root, ready), -ESTALE);
    }
    assert_int_equal(snapshot_set_ready(tree->root, digest), 0);
    assert_int_equal(snapshot_remove(tree->root), 0);
    assert_int_equal(snapshot_ready(tree->root, ready), -ENOENT);
}

static void test_lock(void **state)
{
    struct tree *tree = *state;
    _cleanup_close_ int a = snapshot_lock(tree->root, false, 0), b = -EBADF;

    assert_true(a >= 0);
    assert_int_equal(fcntl(a, F_GETFD), FD_CLOEXEC);
    b = snapshot_lock(tree->root, false, 0);
    assert_true(b >= 0);
    assert_int_equal(snapshot_lock(tree->root, true, 0), -ETIMEDOUT);
    assert_int_equal(snapshot_lock(tree->root, true, 5), -ETIMEDOUT);
    close(steal_fd(&a));
    assert_int_equal(snapshot_lock(tree->root, true, 0), -ETIMEDOUT);
    close(steal_fd(&b));
    a = snapshot_lock(tree->root, true, 0);
    assert_true(a >= 0);
    assert_int_equal(snapshot_lock(tree->root, false, 0), -ETIMEDOUT);
}

/* snapshot.c sleeps here (linked with --wrap): no time passes, and the lock that is waited for is
 * let go of at a chosen moment. */
static struct {
    int lock;
    unsigned calls, release_at;
    long msec;
} waiting;

int __wrap_nanosleep(const struct timespec *duration, struct timespec *rest);

int __wrap_nanosleep(const struct timespec *duration, struct timespec *rest)
{
    (void)rest;
    assert_true(duration->tv_sec == 0 && duration->tv_nsec > 0);
    waiting.msec += duration->tv_nsec / 1000000;
    if (++waiting.calls == waiting.release_at)
        close(waiting.lock);
    return 0;
}

static void test_lock_waits(void **state)
{
    struct tree *tree = *state;
    _cleanup_close_ int lock = -EBADF;

    waiting = (typeof(waiting)){ .lock = snapshot_lock(tree->root, true, 0), .release_at = 7 };
    assert_true(waiting.lock >= 0);
    lock = snapshot_lock(tree->root, false, 30000);
    assert_true(lock >= 0);
    assert_int_equal(waiting.calls, 7);

    /* As long as it was told to, and no longer. */
    waiting = (typeof(waiting)){ .lock = lock };
    assert_int_equal(snapshot_lock(tree->root, true, 1234), -ETIMEDOUT);
    assert_int_equal(waiting.msec, 1234);
    waiting = (typeof(waiting)){ .lock = lock };
    assert_int_equal(snapshot_lock(tree->root, true, 0), -ETIMEDOUT);
    assert_int_equal(waiting.calls, 0);
}

static void test_lock_is_no_link(void **state)
{
    struct tree *tree = *state;

    tree_write(tree, "/etc/precious", "");
    close(snapshot_lock(tree->root, false, 0));
    assert_int_equal(unlink(tree_path(tree, POLICY_LOCK_FILE)), 0);
    assert_int_equal(symlink("/etc/precious", tree_path(tree, POLICY_LOCK_FILE)), 0);
    assert_int_equal(snapshot_lock(tree->root, false, 0), -ELOOP);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_in_force),
        TEST(test_what_is_written_is_in_force),
        TEST(test_the_digest_is_sha256),
        TEST(test_modes_whatever_the_umask),
        TEST(test_what_is_gone_is_gone),
        TEST(test_after_a_writer_that_was_killed),
        TEST(test_a_failure_changes_nothing),
        TEST(test_names_are_no_paths),
        TEST(test_a_broken_snapshot_is_refused),
        TEST(test_threads),
        TEST(test_ready),
        TEST(test_lock),
        TEST(test_lock_waits),
        TEST(test_lock_is_no_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
