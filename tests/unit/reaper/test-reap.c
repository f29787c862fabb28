/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What counts as a session, with logind's answers made up by the linker's --wrap. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-login.h>

#include "reaper/reap.h"

/* Sessions that logind is not closing, each with its class; NULL: not written yet. */
static const struct session {
    const char *id, *class;
} *sessions;
static int error;

int __wrap_sd_uid_get_sessions(uid_t uid, int require_active, char ***ret);
int __wrap_sd_session_get_class(const char *id, char **ret);

int __wrap_sd_uid_get_sessions(uid_t uid, int require_active, char ***ret)
{
    int n = 0;

    assert_int_equal(uid, 59000);
    /* 0 is what leaves out the closing ones. */
    assert_int_equal(require_active, 0);
    if (error < 0)
        return error;
    while (sessions[n].id)
        n++;
    *ret = n > 0 ? calloc((size_t)n + 1, sizeof(char *)) : NULL;
    for (int i = 0; i < n; i++)
        (*ret)[i] = strdup(sessions[i].id);
    return n;
}

int __wrap_sd_session_get_class(const char *id, char **ret)
{
    for (const struct session *session = sessions; session->id; session++)
        if (strcmp(session->id, id) == 0) {
            if (!session->class)
                return -ENXIO;
            *ret = strdup(session->class);
            return 0;
        }
    return -ENXIO;
}

static int has_session(const struct session *list)
{
    sessions = list;
    error = 0;
    return reap_has_session(59000);
}

static void test_none(void **state)
{
    (void)state;
    assert_int_equal(has_session((const struct session[]){ { 0 } }), 0);
}

static void test_user_manager_alone(void **state)
{
    (void)state;
    assert_int_equal(has_session((const struct session[]){ { "1", "manager" }, { 0 } }), 0);
    assert_int_equal(has_session((const struct session[]){ { "1", "manager-early" }, { 0 } }), 0);
}

static void test_every_other_class_counts(void **state)
{
    static const char *const classes[] = { "user",       "user-early", "user-incomplete",
                                           "background", "user-light", "background-light" };

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        const struct session list[] = { { "1", "manager" }, { "c2", classes[i] }, { 0 } };
        assert_int_equal(has_session(list), 1);
    }
}

/* logind names a session in the user's file before it has written the session's own. */
static void test_session_being_opened(void **state)
{
    (void)state;
    assert_int_equal(has_session((const struct session[]){ { "1", NULL }, { 0 } }), 1);
}

static void test_unknown_user(void **state)
{
    (void)state;
    error = -ENXIO;
    assert_int_equal(reap_has_session(59000), 0);
    error = -ENODATA;
    assert_int_equal(reap_has_session(59000), 0);
}

static void test_error(void **state)
{
    (void)state;
    error = -EIO;
    assert_int_equal(reap_has_session(59000), -EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_user_manager_alone),
        cmocka_unit_test(test_every_other_class_counts),
        cmocka_unit_test(test_session_being_opened),
        cmocka_unit_test(test_unknown_user),
        cmocka_unit_test(test_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
