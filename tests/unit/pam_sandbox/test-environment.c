/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "conf/cleanup.h"
#include "pam_sandbox/environment.h"

static const struct admission_user user = {
    .name = (char *)"agent",
    .uid = 59000,
    .home = (char *)"/var/lib/pam-sandbox/home/agent",
    .shell = (char *)"/bin/bash",
};

static char *no_env[] = { NULL };

static bool contains(char *const *list, const char *string)
{
    for (; *list; list++)
        if (strcmp(*list, string) == 0)
            return true;
    return false;
}

static void plan(enum admission_service service, enum environment_phase phase, char **env,
                 char *const *current, char ***remove, char ***set)
{
    const struct config_sandbox sandbox = { .env = env };
    const struct environment_session session = {
        .sandbox = &sandbox,
        .user = &user,
        .service = service,
        .phase = phase,
    };

    assert_int_equal(environment_plan(&session, current, remove, set), 0);
}

static void nothing_of_the_caller_stays(void **state)
{
    char *const current[] = {
        (char *)"ACTIONS_RUNTIME_TOKEN=secret",
        (char *)"LD_PRELOAD=/tmp/x.so",
        (char *)"SUDO_USER=root",
        (char *)"BASH_ENV=/tmp/x",
        (char *)"A=",
        (char *)"=nameless",
        (char *)"XDG_SEAT=seat0",
        (char *)"SHELL_PROMPT_PREFIX=x",
        (char *)"PAM_SANDBOX_PROVING=guess",
        (char *)"INVOCATION_ID=1",
        (char *)"NOTIFY_SOCKET=/run/notify",
        NULL,
    };
    _cleanup_strv_ char **remove = NULL, **set = NULL;
    size_t n = 0;

    (void)state;
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, no_env, current, &remove, &set);
    for (char **r = remove; *r; r++, n++)
        assert_true(strncmp(*r, current[n], strlen(*r)) == 0 && current[n][strlen(*r)] == '=');
    assert_int_equal(n, sizeof current / sizeof current[0] - 1);
}

static void own_list_value_for_value(void **state)
{
    char *const current[] = { (char *)"HOME=/root", (char *)"PATH=/tmp", NULL };
    _cleanup_strv_ char **remove = NULL, **set = NULL;
    static const char *const own[] = {
        "HOME=/var/lib/pam-sandbox/home/agent",
        "USER=agent",
        "LOGNAME=agent",
        "SHELL=/bin/bash",
        "XDG_RUNTIME_DIR=/run/user/59000",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/59000/bus",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
        "LANG=C.UTF-8",
        "CONTAINERS_CONF_OVERRIDE=" PKGLIBEXECDIR "/containers.conf",
    };
    size_t n = 0;

    (void)state;
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, no_env, current, &remove, &set);
    /* A variable that is set anew need not be removed first. */
    assert_null(remove[0]);
    for (; set[n]; n++)
        ;
    assert_int_equal(n, sizeof own / sizeof own[0]);
    for (size_t i = 0; i < n; i++)
        assert_true(contains(set, own[i]));
}

static void configured_variables_win(void **state)
{
    char *env[] = { (char *)"LANG=de_DE.UTF-8", (char *)"CARGO_TERM_COLOR=always",
                    (char *)"PATH=/usr/bin", NULL };
    char *const current[] = { (char *)"CARGO_TERM_COLOR=never", NULL };
    _cleanup_strv_ char **remove = NULL, **set = NULL;

    (void)state;
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, env, current, &remove, &set);
    assert_null(remove[0]);
    assert_true(contains(set, "LANG=de_DE.UTF-8"));
    assert_true(contains(set, "CARGO_TERM_COLOR=always"));
    assert_true(contains(set, "PATH=/usr/bin"));
    assert_false(contains(set, "LANG=C.UTF-8"));
}

static void a_proxy_is_told_of(void **state)
{
    char *env[] = { (char *)"NO_PROXY=localhost", (char *)"JAVA_TOOL_OPTIONS=-Xmx1g", NULL };
    const struct config_sandbox sandbox = {
        .name = (char *)"agent",
        .env = env,
        .egress = { .proxy = true, .port = 5000 },
    };
    const struct environment_session session = {
        .sandbox = &sandbox,
        .user = &user,
        .service = ADMISSION_RUN0,
        .phase = ENVIRONMENT_SESSION,
        .for_java = true,
    };
    char *const current[] = { (char *)"https_proxy=http://127.0.0.1:1", (char *)"FTP_PROXY=x",
                              NULL };
    _cleanup_strv_ char **remove = NULL, **set = NULL;

    (void)state;
    assert_int_equal(environment_plan(&session, current, &remove, &set), 0);
    assert_true(contains(set, "https_proxy=http://127.0.0.1:5000"));
    assert_true(contains(set, "SSL_CERT_FILE=/run/pam-sandbox/egress/agent/bundle.pem"));
    assert_true(
        contains(set, "CONTAINERS_CONF_OVERRIDE=/run/pam-sandbox/egress/agent/containers.conf"));
    assert_true(contains(set, "NO_PROXY=localhost"));
    assert_true(contains(set, "no_proxy=localhost,127.0.0.1,::1"));
    assert_true(contains(set, "JAVA_TOOL_OPTIONS=-Xmx1g"));
    assert_string_equal(remove[0], "FTP_PROXY");
    assert_null(remove[1]);
    for (char **s = set; *s; s++)
        assert_true(strncmp(*s, "JAVA_", 5) != 0 || strcmp(*s, "JAVA_TOOL_OPTIONS=-Xmx1g") == 0);
}

static void plain_terminals_only(void **state)
{
    char *const good[] = { (char *)"TERM=xterm-256color", (char *)"COLORTERM=truecolor",
                           (char *)"NO_COLOR=1", NULL };
    char *const bad[] = { (char *)"TERM=../../tmp/x", (char *)"COLORTERM=a b",
                          (char *)"NO_COLOR=\033[0m", NULL };
    _cleanup_strv_ char **remove = NULL, **set = NULL, **removed = NULL, **again = NULL;

    (void)state;
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, no_env, good, &remove, &set);
    assert_null(remove[0]);
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, no_env, bad, &removed, &again);
    assert_true(contains(removed, "TERM"));
    assert_true(contains(removed, "COLORTERM"));
    assert_true(contains(removed, "NO_COLOR"));
}

/* pam_systemd believes a class or type that the caller gives, so it must not meet one. */
static void session_class_is_pam_systemds(void **state)
{
    char *const current[] = { (char *)"XDG_SESSION_CLASS=manager", (char *)"XDG_SESSION_TYPE=x11",
                              (char *)"XDG_SESSION_ID=7", NULL };
    _cleanup_strv_ char **before = NULL, **after = NULL, **set = NULL, **again = NULL;

    (void)state;
    plan(ADMISSION_RUN0, ENVIRONMENT_ACCOUNT, no_env, current, &before, &set);
    assert_true(contains(before, "XDG_SESSION_CLASS"));
    assert_true(contains(before, "XDG_SESSION_TYPE"));
    assert_true(contains(before, "XDG_SESSION_ID"));
    plan(ADMISSION_RUN0, ENVIRONMENT_SESSION, no_env, current, &after, &again);
    assert_null(after[0]);
}

static void manager_keeps_its_protocol(void **state)
{
    char *const current[] = {
        (char *)"NOTIFY_SOCKET=@/org/freedesktop/x",
        (char *)"MANAGERPID=1",
        (char *)"LISTEN_FDS=1",
        (char *)"LISTEN_FDNAMES=a:b",
        (char *)"WATCHDOG_USEC=1000",
        (char *)"INVOCATION_ID=0123abcd",
        (char *)"JOURNAL_STREAM=8:1234",
        (char *)"SYSTEMD_EXEC_PID=7",
        (char *)"MEMORY_PRESSURE_WATCH=/sys/x",
        NULL,
    };
    char *const foreign[] = { (char *)"TERM=xterm", (char *)"ACTIONS_X=1", NULL };
    _cleanup_strv_ char **remove = NULL, **set = NULL, **removed = NULL, **again = NULL;

    (void)state;
    plan(ADMISSION_MANAGER, ENVIRONMENT_SESSION, no_env, current, &remove, &set);
    assert_null(remove[0]);
    plan(ADMISSION_MANAGER, ENVIRONMENT_SESSION, no_env, foreign, &removed, &again);
    assert_true(contains(removed, "TERM"));
    assert_true(contains(removed, "ACTIONS_X"));
}

static void prover_keeps_its_nonce(void **state)
{
    char *const current[] = { (char *)"PAM_SANDBOX_PROVING=00ff", (char *)"PAM_SANDBOX_MARK=a",
                              NULL };
    const struct config_sandbox sandbox = { .env = no_env };
    const struct environment_session session = {
        .sandbox = &sandbox,
        .user = &user,
        .service = ADMISSION_RUN0,
        .phase = ENVIRONMENT_SESSION,
        .proving = true,
    };
    _cleanup_strv_ char **remove = NULL, **set = NULL;

    (void)state;
    assert_int_equal(environment_plan(&session, current, &remove, &set), 0);
    assert_null(remove[0]);
}

static void denied_by_pattern(void **state)
{
    char *patterns[] = { (char *)"ACTIONS_*", (char *)"*_TOKEN", NULL };
    char *const current[] = { (char *)"ACTIONS_X=1", (char *)"ACTIONS=1", (char *)"MY_TOKEN=2",
                              (char *)"PATH=/bin", NULL };
    _cleanup_strv_ char **remove = NULL, **none = NULL;

    (void)state;
    assert_int_equal(environment_plan_denied(patterns, current, &remove), 0);
    assert_string_equal(remove[0], "ACTIONS_X");
    assert_string_equal(remove[1], "MY_TOKEN");
    assert_null(remove[2]);
    assert_int_equal(environment_plan_denied(no_env, current, &none), 0);
    assert_null(none[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_the_caller_stays),
        cmocka_unit_test(own_list_value_for_value),
        cmocka_unit_test(configured_variables_win),
        cmocka_unit_test(a_proxy_is_told_of),
        cmocka_unit_test(plain_terminals_only),
        cmocka_unit_test(session_class_is_pam_systemds),
        cmocka_unit_test(manager_keeps_its_protocol),
        cmocka_unit_test(prover_keeps_its_nonce),
        cmocka_unit_test(denied_by_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
