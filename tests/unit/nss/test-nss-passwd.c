/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/paths.h"
#include "nss/nss-sandbox.h"

#include <errno.h>
#include <string.h>

#define LINE(name, uid) name ":x:" uid ":" uid ":Sandbox:/home/" name ":/bin/bash\n"

static struct passwd entry;
static char buffer[1024];
static int error;

static enum nss_status by_name(const char *name)
{
    error = 0;
    return _nss_sandbox_getpwnam_r(name, &entry, buffer, sizeof buffer, &error);
}

static enum nss_status by_uid(uid_t uid)
{
    error = 0;
    return _nss_sandbox_getpwuid_r(uid, &entry, buffer, sizeof buffer, &error);
}

static void assert_in_buffer(const char *s)
{
    assert_true(s >= buffer && s + strlen(s) < buffer + sizeof buffer);
}

static void test_found(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, LINE("one", "59000") LINE("two", "59001") LINE("three", "59002"));
    errno = EXDEV;
    assert_int_equal(by_name("two"), NSS_STATUS_SUCCESS);
    assert_int_equal(errno, EXDEV);
    assert_string_equal(entry.pw_name, "two");
    assert_string_equal(entry.pw_passwd, "x");
    assert_int_equal(entry.pw_uid, 59001);
    assert_int_equal(entry.pw_gid, 59001);
    assert_string_equal(entry.pw_gecos, "Sandbox");
    assert_string_equal(entry.pw_dir, "/home/two");
    assert_string_equal(entry.pw_shell, "/bin/bash");
    const char *const strings[] = { entry.pw_name, entry.pw_passwd, entry.pw_gecos, entry.pw_dir,
                                    entry.pw_shell };
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        assert_in_buffer(strings[i]);

    assert_int_equal(by_uid(59002), NSS_STATUS_SUCCESS);
    assert_string_equal(entry.pw_name, "three");
    assert_int_equal(errno, EXDEV);
}

static void test_unknown(void **state)
{
    (void)state;
    tree_write(NSS_PASSWD_FILE, LINE("one", "59000"));
    errno = EXDEV;
    assert_int_equal(by_name("on"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_name("onee"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_name(""), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_uid(59001), NSS_STATUS_NOTFOUND);
    assert_int_equal(errno, EXDEV);
}

static void test_refused(void **state)
{
    static const char *const lines[] = {
        "bad:x:0:0:Sandbox:/home/bad:/bin/bash\n",             /* root's */
        "bad:x:999:999:Sandbox:/home/bad:/bin/bash\n",         /* the system's */
        "bad:x:59000:0:Sandbox:/home/bad:/bin/bash\n",         /* root's group */
        "bad:x:59000:59001:Sandbox:/home/bad:/bin/bash\n",     /* another sandbox's group */
        "bad:x:4294967295:4294967295:S:/home/bad:/bin/bash\n", /* (uid_t)-1 */
        "bad:x:99999999999:99999999999:S:/home/bad:/bin/sh\n", /* saturates to it */
        "bad::59000:59000:Sandbox:/home/bad:/bin/bash\n",      /* no password needed */
        "bad:$y$j9T$:59000:59000:Sandbox:/home/bad:/bin/sh\n", /* a password */
        "bad:x:59000:59000:Sandbox:home:/bin/bash\n",
        "bad:x:59000:59000:Sandbox::/bin/bash\n",
        "bad:x:59000:59000:Sandbox:/home/bad:\n",
        "bad:x:59000:59000:Sandbox:/home/bad:bash\n",
        "bad:x:59000x:59000:Sandbox:/home/bad:/bin/bash\n",
        "bad:x::59000:Sandbox:/home/bad:/bin/bash\n",
        "bad\n",
        "bad:\n",
        ":x:59000:59000:Sandbox:/home/bad:/bin/bash\n",
        "+bad:x:59000:59000:Sandbox:/home/bad:/bin/bash\n",
        "-bad:x:59000:59000:Sandbox:/home/bad:/bin/bash\n",
        "+\n",
        "+bad\n",
        "#bad:x:59000:59000:Sandbox:/home/bad:/bin/bash\n",
    };
    static const char *const names[] = { "bad", "", "+bad", "-bad", "+", "#bad" };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s" LINE("good", "59009"), lines[i]);
        tree_write(NSS_PASSWD_FILE, text);
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            assert_int_equal(by_name(names[j]), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_uid(0), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_uid(999), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_uid(59000), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_uid((uid_t)-1), NSS_STATUS_NOTFOUND);

        /* And what follows is read. */
        assert_int_equal(by_name("good"), NSS_STATUS_SUCCESS);
        _nss_sandbox_setpwent(0);
        assert_int_equal(_nss_sandbox_getpwent_r(&entry, buffer, sizeof buffer, &error),
                         NSS_STATUS_SUCCESS);
        assert_string_equal(entry.pw_name, "good");
        _nss_sandbox_endpwent();
    }
}

/* A line is written when its newline is. */
static void test_half_written(void **state)
{
    static const char whole[] = LINE("one", "59000") LINE("two", "59001");
    const size_t first = strlen(LINE("one", "59000"));
    (void)state;
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        tree_write_bytes(NSS_PASSWD_FILE, whole, size);
        assert_int_equal(by_name("two"), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_uid(59001), NSS_STATUS_NOTFOUND);
        assert_int_equal(by_name("one"), size >= first ? NSS_STATUS_SUCCESS : NSS_STATUS_NOTFOUND);
    }
    tree_write_bytes(NSS_PASSWD_FILE, whole, sizeof whole - 1);
    assert_int_equal(by_name("two"), NSS_STATUS_SUCCESS);
}

static void test_binary(void **state)
{
    static const char text[] = "one\0:x:59000:59000::/home/one:/bin/sh\n"
                               "\xff\xff\xff:\xff\n\0\0\0\n" LINE("two", "59001");
    (void)state;
    tree_write_bytes(NSS_PASSWD_FILE, text, sizeof text - 1);
    assert_int_equal(by_name("one"), NSS_STATUS_NOTFOUND);
    assert_int_equal(by_name("two"), NSS_STATUS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),   cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_half_written),
        cmocka_unit_test(test_binary),
    };
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
