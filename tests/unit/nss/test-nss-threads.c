/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many threads in every entry point at once, while a writer replaces the files, by rename as
 * users_write() does and in place as nobody should. Under ThreadSanitizer it finds races;
 * everywhere it checks that whatever is answered is one whole entry of one state of the file. */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-sandbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define N_THREADS 32
#define N_USERS 50
#define ROUNDS 60

static atomic_bool readers_done;
static atomic_uint answers;

/* cmocka's assertions are for one thread. */
static void check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_user(const struct passwd *p, unsigned user)
{
    char name[32], home[64];
    snprintf(name, sizeof name, "user%u", user);
    snprintf(home, sizeof home, "/home/user%u", user);
    check(strcmp(p->pw_name, name) == 0, "name");
    check(p->pw_uid == 59000 + user && p->pw_gid == 59000 + user, "uid");
    check(strcmp(p->pw_dir, home) == 0 && strcmp(p->pw_shell, "/bin/bash") == 0, "home or shell");
}

static void read_once(unsigned user)
{
    char buffer[512], name[32];
    struct passwd p;
    struct group g;
    struct spwd s;
    int error;
    snprintf(name, sizeof name, "user%u", user);

    if (_nss_sandbox_getpwnam_r(name, &p, buffer, sizeof buffer, &error) == NSS_STATUS_SUCCESS) {
        check_user(&p, user);
        answers++;
    }
    if (_nss_sandbox_getpwuid_r(59000 + user, &p, buffer, sizeof buffer, &error) ==
        NSS_STATUS_SUCCESS)
        check_user(&p, user);
    if (_nss_sandbox_getgrnam_r(name, &g, buffer, sizeof buffer, &error) == NSS_STATUS_SUCCESS)
        check(g.gr_gid == 59000 + user && !g.gr_mem[0], "group");
    if (_nss_sandbox_getgrgid_r(59000 + user, &g, buffer, sizeof buffer, &error) ==
        NSS_STATUS_SUCCESS)
        check(strcmp(g.gr_name, name) == 0, "group");
    if (_nss_sandbox_getspnam_r(name, &s, buffer, sizeof buffer, &error) == NSS_STATUS_SUCCESS)
        check(strcmp(s.sp_pwdp, "!*") == 0, "shadow");

    long n = 0, size = 1;
    _cleanup_free_ gid_t *gids = malloc(sizeof *gids);
    check(gids != NULL, "memory");
    _nss_sandbox_initgroups_dyn(name, 59000 + user, &n, &size, &gids, 0, &error);
    check(n <= 1 && (n == 0 || gids[0] == 990), "initgroups");

    if (user % 8 == 0)
        _nss_sandbox_setpwent(0);
    if (_nss_sandbox_getpwent_r(&p, buffer, sizeof buffer, &error) == NSS_STATUS_SUCCESS)
        check_user(&p, p.pw_uid - 59000);
    if (user % 8 == 1)
        _nss_sandbox_endpwent();
    if (_nss_sandbox_getgrent_r(&g, buffer, sizeof buffer, &error) != NSS_STATUS_SUCCESS)
        _nss_sandbox_setgrent(0);
    if (_nss_sandbox_getspent_r(&s, buffer, sizeof buffer, &error) != NSS_STATUS_SUCCESS)
        _nss_sandbox_endspent();
}

static void *reader(void *argument)
{
    unsigned first = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < ROUNDS; i++)
        read_once((first + i) % N_USERS);
    return NULL;
}

/* A prefix of the file, of any length: the last line may be half there. */
static void write_in_place(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(tree_path(path), "we");
    check(out && fwrite(text, 1, size, out) == size && fclose(out) == 0, "cannot write");
}

static void *writer(void *argument)
{
    _cleanup_free_ char *passwd = NULL, *group = NULL, *shadow = NULL;
    size_t passwd_size, group_size, shadow_size;
    FILE *p = open_memstream(&passwd, &passwd_size), *g = open_memstream(&group, &group_size),
         *s = open_memstream(&shadow, &shadow_size);
    (void)argument;
    check(p && g && s, "memory");
    for (unsigned i = 0; i < N_USERS; i++) {
        fprintf(p, "user%u:x:%u:%u:Sandbox:/home/user%u:/bin/bash\n", i, 59000 + i, 59000 + i, i);
        fprintf(g, "user%u:x:%u:\nsandboxes:x:990:user%u\n", i, 59000 + i, i);
        fprintf(s, "user%u:!*:::::::\n", i);
    }
    check(fclose(p) == 0 && fclose(g) == 0 && fclose(s) == 0, "memory");
    for (size_t i = 0; !readers_done; i += 37) {
        tree_write(NSS_PASSWD_FILE, passwd);
        tree_write(NSS_GROUP_FILE, group);
        tree_write(NSS_SHADOW_FILE, shadow);
        write_in_place(NSS_PASSWD_FILE, passwd, i % passwd_size);
        write_in_place(NSS_GROUP_FILE, group, i % group_size);
        tree_remove(NSS_SHADOW_FILE);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[N_THREADS], writing;
    (void)state;
    unsigned fds = tree_count_fds();
    assert_int_equal(pthread_create(&writing, NULL, writer, NULL), 0);
    for (uintptr_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(threads + i, NULL, reader, (void *)i), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    readers_done = true;
    assert_int_equal(pthread_join(writing, NULL), 0);
    assert_true(answers > 0);
    _nss_sandbox_endpwent();
    _nss_sandbox_endgrent();
    _nss_sandbox_endspent();
    assert_int_equal(tree_count_fds(), fds);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
