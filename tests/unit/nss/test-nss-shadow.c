/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/paths.h"
#include "nss/nss-sandbox.h"

#include <errno.h>

static struct spwd entry;
static char buffer[1024];
static int error;

static enum nss_status by_name(const char *name)
{
    error = 0;
    return _nss_sandbox_getspnam_r(name, &entry, buffer, sizeof buffer, &error);
}

static void test_locked(void **state)
{
    (void)state;
    tree_write(NSS_SHADOW_FILE, "one:!*:::::::\ntwo:!*:::::::\n");
    errno = EXDEV;
    assert_int_equal(by_name("two"), NSS_STATUS_SUCCESS);
    assert_string_equal(entry.sp_namp, "two");
    assert_string_equal(entry.sp_pwdp, "!*");
    /* No ageing: pam_unix(8) would ask for a new password. */
    assert_int_equal(entry.sp_lstchg, -1);
    assert_int_equal(entry.sp_max, -1);
    assert_int_equal(entry.sp_expire, -1);
    assert_int_equal(by_name("three"), NSS_STATUS_NOTFOUND);
    assert_int_equal(errno, EXDEV);
}

static void test_refused(void **state)
{
    static const char *const lines[] = {
        "bad::::::::\n",    "bad:x:::::::\n", "bad:$y$j9T$abc$def:::::::\n",
        "bad:*:::::::\n",   "bad\n",          "bad:!*:x::::::\n",
        "+bad:!*:::::::\n", ":!*:::::::\n",
    };
    static const char *const names[] = { "bad", "+bad", "" };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%sgood:!*:::::::\n", lines[i]);
        tree_write(NSS_SHADOW_FILE, text);
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            assert_int_equal(by_name(names[j]), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_name("good"), NSS_STATUS_SUCCESS);
    }
}

static void test_enumeration(void **state)
{
    (void)state;
    tree_write(NSS_SHADOW_FILE, "one:!*:::::::\nopen::::::::\ntwo:!*:::::::\nlost:!*:::::::");
    assert_int_equal(_nss_sandbox_setspent(1), NSS_STATUS_SUCCESS);
    assert_int_equal(_nss_sandbox_getspent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_SUCCESS);
    assert_string_equal(entry.sp_namp, "one");
    assert_int_equal(_nss_sandbox_getspent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_SUCCESS);
    assert_string_equal(entry.sp_namp, "two");
    assert_int_equal(_nss_sandbox_getspent_r(&entry, buffer, sizeof buffer, &error),
                     NSS_STATUS_NOTFOUND);
    assert_int_equal(_nss_sandbox_endspent(), NSS_STATUS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_enumeration),
    };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
