/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `sudo -ll -U USER` of sudo 1.9.16 prints. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/ask.h"

#define DEFAULTS                                                                                   \
    "Matching Defaults entries for runner on localhost:\n"                                         \
    "    env_reset, secure_path=/usr/sbin\\:/usr/bin, use_pty\n\n"                                 \
    "User runner may run the following commands on localhost:\n"
#define GENEROUS                                                                                   \
    "\nSudoers entry: /etc/sudoers.d/00-generous\n    RunAsUsers: ALL\n    Commands:\n\tALL\n"
#define OURS "\nSudoers entry: " LOCK_SUDOERS_FILE "\n    RunAsUsers: ALL\n    Commands:\n\t!ALL\n"
#define LATER                                                                                      \
    "\nSudoers entry: /etc/sudoers.d/zzz\n    RunAsUsers: root\n    Commands:\n\t/usr/bin/id\n"

static void expect(const char *text, const char *beyond)
{
    _cleanup_free_ char *list = strdup(text);
    const char *r = sudo_list_beyond(list);

    if (beyond)
        assert_string_equal(r, beyond);
    else
        assert_null(r);
}

static void test_ours_is_the_last(void **state)
{
    (void)state;
    expect(DEFAULTS OURS, NULL);
    expect(DEFAULTS GENEROUS OURS, NULL);
    expect(DEFAULTS GENEROUS OURS OURS, NULL);
    expect(DEFAULTS LATER OURS, NULL);
}

static void test_one_comes_after(void **state)
{
    (void)state;
    expect(DEFAULTS OURS LATER, "/etc/sudoers.d/zzz");
    expect(DEFAULTS OURS LATER GENEROUS, "/etc/sudoers.d/zzz");
    expect(DEFAULTS GENEROUS OURS "\nLDAP Role: ci\n    Commands:\n\tALL\n", "ci");
    expect(DEFAULTS OURS "\nSSSD Role: ci\n    Commands:\n\tALL\n", "ci");
    /* A command that is called as an entry is indented. */
    expect(DEFAULTS OURS LATER "    Commands:\n\tSudoers entry: " LOCK_SUDOERS_FILE "\n",
           "/etc/sudoers.d/zzz");
}

static void test_ours_is_not_there(void **state)
{
    (void)state;
    expect("User runner is not allowed to run sudo on localhost.\n", "");
    expect(DEFAULTS GENEROUS, "");
    expect(DEFAULTS "\nSudoers entry: " LOCK_SUDOERS_FILE "2\n    Commands:\n\t!ALL\n", "");
    expect("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ours_is_the_last),
        cmocka_unit_test(test_one_comes_after),
        cmocka_unit_test(test_ours_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
