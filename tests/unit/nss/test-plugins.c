/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* test-plugins LIBNSS LIBSUBID: loads the plugins as glibc and shadow do. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <shadow/subid.h>
#include <stdbool.h>
#include <stdlib.h>

static const char *nss_path, *subid_path;

static void test_nss(void **state)
{
    static const char *const names[] = {
        "_nss_sandbox_getpwnam_r", "_nss_sandbox_getpwuid_r", "_nss_sandbox_setpwent",
        "_nss_sandbox_getpwent_r", "_nss_sandbox_endpwent",   "_nss_sandbox_getgrnam_r",
        "_nss_sandbox_getgrgid_r", "_nss_sandbox_setgrent",   "_nss_sandbox_getgrent_r",
        "_nss_sandbox_endgrent",   "_nss_sandbox_getspnam_r", "_nss_sandbox_setspent",
        "_nss_sandbox_getspent_r", "_nss_sandbox_endspent",   "_nss_sandbox_initgroups_dyn",
    };
    (void)state;
    void *handle = dlopen(nss_path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!dlsym(handle, names[i]))
            fail_msg("%s", dlerror());

    enum nss_status (*getpwnam)(const char *, struct passwd *, char *, size_t, int *) =
        dlsym(handle, names[0]);
    struct passwd entry;
    char buffer[256];
    int error = 0;
    assert_int_equal(getpwnam("no-such-user", &entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    assert_int_equal(dlclose(handle), 0);
}

typedef enum subid_status has_range_t(const char *, unsigned long, unsigned long, enum subid_type,
                                      bool *);
typedef enum subid_status list_t(const char *, enum subid_type, struct subid_range **, int *);
typedef enum subid_status owners_t(unsigned long, enum subid_type, uid_t **, int *);

static void test_subid(void **state)
{
    (void)state;
    void *handle = dlopen(subid_path, RTLD_LAZY);
    if (!handle)
        fail_msg("%s", dlerror());
    has_range_t *has_range = dlsym(handle, "shadow_subid_has_range");
    list_t *list = dlsym(handle, "shadow_subid_list_owner_ranges");
    owners_t *owners = dlsym(handle, "shadow_subid_find_subid_owners");
    void (*release)(void *) = dlsym(handle, "shadow_subid_free");
    assert_true(has_range && list && owners && release);

    bool result = true;
    struct subid_range *ranges = (void *)1;
    uid_t *uids = (void *)1;
    int n = -1;
    assert_int_equal(has_range("no-such-user", 100000, 1, ID_TYPE_UID, &result),
                     SUBID_STATUS_SUCCESS);
    assert_false(result);
    assert_int_equal(list("no-such-user", ID_TYPE_GID, &ranges, &n), SUBID_STATUS_SUCCESS);
    assert_true(n == 0 && !ranges);
    assert_int_equal(list("no-such-user", 7, &ranges, &n), SUBID_STATUS_ERROR);
    assert_int_equal(owners(4294967295, ID_TYPE_UID, &uids, &n), SUBID_STATUS_SUCCESS);
    assert_true(n == 0 && !uids);
    release(NULL);
    release(malloc(1));
    assert_int_equal(dlclose(handle), 0);
}

/* In the programs that edit /etc/subuid the plugin is not one, so that libsubid uses the files. */
static void test_editors(void **state)
{
    static char *const editors[] = { "useradd", "userdel", "usermod", "newusers" };
    static char *const others[] = { "newuidmap", "newgidmap", "getsubids", "podman", "useradd2" };
    char *own_name = program_invocation_short_name;
    (void)state;
    void *handle = dlopen(subid_path, RTLD_LAZY);
    assert_non_null(handle);
    for (size_t i = 0; i < sizeof editors / sizeof editors[0]; i++) {
        program_invocation_short_name = editors[i];
        assert_null(dlsym(handle, "shadow_subid_has_range"));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        program_invocation_short_name = others[i];
        assert_non_null(dlsym(handle, "shadow_subid_has_range"));
    }
    program_invocation_short_name = own_name;
    assert_int_equal(dlclose(handle), 0);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nss),
        cmocka_unit_test(test_subid),
        cmocka_unit_test(test_editors),
    };
    if (argc != 3)
        return 2;
    nss_path = argv[1];
    subid_path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
