/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conf/paths.h"
#include "conf/rules.h"

typedef int (*rule_t)(const char *text, struct reason *reason);

static void accepts(rule_t rule, const char *text)
{
    struct reason reason = { "" };
    const int r = rule(text, &reason);

    assert_string_equal(reason.text, "");
    assert_int_equal(r, 0);
}

static void refuses(rule_t rule, const char *text, const char *why)
{
    struct reason reason = { "" };
    const int r = rule(text, &reason);

    assert_string_equal(reason.text, why);
    assert_int_equal(r, -EINVAL);
}

static void test_sandbox_name(void **state)
{
    static const char *const not_portable[] = {
        "",
        "1a",
        "-a",
        "a.b",
        "a b",
        "a/b",
        "../a",
        "a:b",
        "a\nb",
        "a$",
        "\xc3\xa4",
        "a@b",
        "abcdefghijklmnopqrstuvwxyz012345",
    };

    (void)state;
    accepts(rule_sandbox_name, "a");
    accepts(rule_sandbox_name, "_a");
    accepts(rule_sandbox_name, "Agent-7_x");
    accepts(rule_sandbox_name, "abcdefghijklmnopqrstuvwxyz01234");
    for (size_t i = 0; i < sizeof not_portable / sizeof *not_portable; i++) {
        char why[256];

        (void)snprintf(why, sizeof why,
                       "\"%s\" is not a portable user name; use 1 to 31 letters, digits, _ and -, "
                       "beginning with a letter or _",
                       not_portable[i]);
        refuses(rule_sandbox_name, not_portable[i], why);
    }
    refuses(rule_sandbox_name, "root", "\"root\" is a name that the system uses; choose another");
    refuses(rule_sandbox_name, "nobody",
            "\"nobody\" is a name that the system uses; choose another");
    refuses(rule_sandbox_name, SANDBOXES_GROUP,
            "\"sandboxes\" is a name that the system uses; choose another");
}

static void test_program_name(void **state)
{
    (void)state;
    accepts(rule_program_name, "Runner.Worker");
    accepts(rule_program_name, "a-b_c+d:e.f1234");
    refuses(
        rule_program_name, "a-b_c+d:e.f12345",
        "\"a-b_c+d:e.f12345\" is not the name of a program; use at most 15 letters, digits, and "
        ". _ - + :");
    refuses(
        rule_program_name, "/bin/sh",
        "\"/bin/sh\" is not the name of a program; use at most 15 letters, digits, and . _ - + :");
}

static void test_lock_user(void **state)
{
    (void)state;
    accepts(rule_lock_user, "runner");
    refuses(rule_lock_user, "root", "root cannot be kept from being root; name another user");
    refuses(rule_lock_user, "run ner",
            "\"run ner\" is not a portable user name; use 1 to 31 letters, digits, _ and -, "
            "beginning with a letter or _");
}

static void test_group(void **state)
{
    static const char *const root_by_name[] = {
        "root",   "docker", "lxd", "incus",           "libvirt", "podman", "disk",
        "shadow", "sudo",   "adm", "systemd-journal", "empower", "wheel",
    };

    (void)state;
    accepts(rule_group, "kvm");
    accepts(rule_group, "render");
    for (size_t i = 0; i < sizeof root_by_name / sizeof *root_by_name; i++) {
        struct reason reason;

        assert_non_null(config_group_is_root_by(root_by_name[i]));
        assert_int_equal(rule_group(root_by_name[i], &reason), -EINVAL);
    }
    refuses(rule_group, "docker",
            "\"docker\" is root by another name: it starts containers as root; remove it");
    refuses(rule_group, "sandboxes", "every sandbox is in \"sandboxes\"; remove it from the list");
    refuses(rule_group, "108", "\"108\" is not a group name; use 1 to 31 letters, digits, _ and -");
    refuses(rule_group, "a,b", "\"a,b\" is not a group name; use 1 to 31 letters, digits, _ and -");
    assert_null(config_group_is_root_by("kvm"));
}

static void test_stop_service(void **state)
{
    (void)state;
    accepts(rule_stop_service, "docker.socket");
    accepts(rule_stop_service, "docker.service");
    accepts(rule_stop_service, "fwupd-refresh.timer");
    accepts(rule_stop_service, "cups.path");
    accepts(rule_stop_service, "a@b.service");
    accepts(rule_stop_service, "dev-disk\\x2d1.service");
    refuses(rule_stop_service, "docker",
            "\"docker\" is not a service, socket, timer or path; give the full name, as in "
            "docker.socket");
    refuses(rule_stop_service, "multi-user.target",
            "\"multi-user.target\" is not a service, socket, timer or path; give the full name, as "
            "in docker.socket");
    refuses(rule_stop_service, "a b.service",
            "\"a b.service\" is not the name of a unit; use one as systemctl shows it");
    refuses(rule_stop_service, "../a.service",
            "\"../a.service\" is not the name of a unit; use one as systemctl shows it");
    refuses(rule_stop_service, "*.service",
            "\"*.service\" is not the name of a unit; use one as systemctl shows it");
    refuses(rule_stop_service, ".service",
            "\".service\" is not the name of a unit; use one as systemctl shows it");
    refuses(rule_stop_service, "", "\"\" is not the name of a unit; use one as systemctl shows it");
    refuses(rule_stop_service, "systemd-logind.service",
            "\"systemd-logind.service\" is part of the system, or of this package; remove it");
    refuses(rule_stop_service, "dbus.socket",
            "\"dbus.socket\" is part of the system, or of this package; remove it");
    refuses(rule_stop_service, "user@1000.service",
            "\"user@1000.service\" is part of the system, or of this package; remove it");
    refuses(rule_stop_service, "pam-sandbox-ready.service",
            "\"pam-sandbox-ready.service\" is part of the system, or of this package; remove it");
}

static void test_allowed(void **state)
{
    (void)state;
    accepts(rule_allowed_env, "GREETING");
    accepts(rule_allowed_env, "BUILD_*");
    accepts(rule_allowed_env, "*"); /* what may never be set is refused when it is asked for */
    accepts(rule_allowed_env, "PATH");
    refuses(rule_allowed_env, "LD_PRELOAD",
            "LD_PRELOAD changes what code programs load or run; remove it");
    refuses(rule_allowed_env, "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_RUNTIME_TOKEN is a variable of the job that no sandbox may see; remove it");
    refuses(rule_allowed_env, "HOME", "HOME is set by the session itself; remove it");
    refuses(rule_allowed_env, "A=B",
            "\"A=B\" is not a pattern of names; use letters, digits, _ and * ? [ ]");
    refuses(rule_allowed_env, "",
            "\"\" is not a pattern of names; use letters, digits, _ and * ? [ ]");
    accepts(rule_allowed_group, "docker"); /* whose members may enter, not what a sandbox is in */
    refuses(rule_allowed_group, "sandboxes", "no sandbox enters another; remove \"sandboxes\"");
    refuses(rule_allowed_group, "a b",
            "\"a b\" is not a group name; use 1 to 31 letters, digits, _ and -");
}

static void test_refused_variable(void **state)
{
    (void)state;
    assert_null(config_refused_variable("A"));
    assert_null(config_refused_variable("_9"));
    assert_non_null(config_refused_variable(""));
    assert_non_null(config_refused_variable("9A"));
    assert_non_null(config_refused_variable("A B"));
    assert_non_null(config_refused_variable("A\xc3\xa4"));
    assert_non_null(config_refused_variable("ACTIONS_"));
    assert_non_null(config_refused_variable("LD_AUDIT"));
    assert_non_null(config_refused_variable("BASH_ENV"));
    assert_non_null(config_refused_variable("SYSTEMD_LOG_LEVEL"));
}

static void test_deny_env(void **state)
{
    (void)state;
    accepts(rule_deny_env, "ACTIONS_*");
    accepts(rule_deny_env, "CI_JOB_TOKEN");
    accepts(rule_deny_env, "A[0-9]?");
    refuses(rule_deny_env, "*", "\"*\" matches PATH, which sessions need; use a narrower pattern");
    refuses(rule_deny_env, "XDG_*",
            "\"XDG_*\" matches XDG_RUNTIME_DIR, which sessions need; use a narrower pattern");
    refuses(rule_deny_env, "????",
            "\"????\" matches PATH, which sessions need; use a narrower pattern");
    refuses(rule_deny_env, "[!X]OME",
            "\"[!X]OME\" matches HOME, which sessions need; use a narrower pattern");
    refuses(rule_deny_env, "A=B",
            "\"A=B\" is not a pattern of names; use letters, digits, _ and * ? [ ]");
    refuses(rule_deny_env, "",
            "\"\" is not a pattern of names; use letters, digits, _ and * ? [ ]");
}

static void test_env(void **state)
{
    static const char *const loader[] = {
        "LD_PRELOAD",     "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH",
        "GLIBC_TUNABLES", "LOCPATH",         "BASH_ENV",
    };
    static const char *const session[] = {
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TERM",
        "XDG_RUNTIME_DIR",
        "XDG_SESSION_ID",
        "DBUS_SESSION_BUS_ADDRESS",
        "SUDO_USER",
        "NOTIFY_SOCKET",
        "MANAGERPID",
        "LISTEN_FDS",
        "WATCHDOG_USEC",
        "INVOCATION_ID",
        "SYSTEMD_EXEC_PID",
        "MEMORY_PRESSURE_WATCH",
        "PAM_SANDBOX_PROVING",
    };
    char text[128], why[256];

    (void)state;
    accepts(rule_env, "CARGO_TERM_COLOR=always");
    accepts(rule_env, "PATH=/usr/bin:/bin");
    accepts(rule_env, "LANG=C.UTF-8");
    accepts(rule_env, "A=");
    accepts(rule_env, "_=a=b c");
    refuses(rule_env, "A", "\"A\" is not NAME=VALUE");
    refuses(rule_env, "=A", "\"=A\" is not NAME=VALUE");
    refuses(rule_env, "", "\"\" is not NAME=VALUE");
    refuses(rule_env, "1A=b", "\"1A\" is not a name of a variable; use letters, digits and _");
    refuses(rule_env, "A B=b", "\"A B\" is not a name of a variable; use letters, digits and _");
    refuses(rule_env, "BASH_FUNC_a%%=() { :; }",
            "\"BASH_FUNC_a%%\" is not a name of a variable; use letters, digits and _");
    refuses(rule_env, "ACTIONS_RUNTIME_TOKEN=a",
            "ACTIONS_RUNTIME_TOKEN is a variable of the job that no sandbox may see; remove it");
    for (size_t i = 0; i < sizeof loader / sizeof *loader; i++) {
        (void)snprintf(text, sizeof text, "%s=1", loader[i]);
        (void)snprintf(why, sizeof why, "%s changes what code programs load or run; remove it",
                       loader[i]);
        refuses(rule_env, text, why);
    }
    for (size_t i = 0; i < sizeof session / sizeof *session; i++) {
        (void)snprintf(text, sizeof text, "%s=1", session[i]);
        (void)snprintf(why, sizeof why, "%s is set by the session itself; remove it", session[i]);
        refuses(rule_env, text, why);
    }
}

static void test_path(void **state)
{
    static const char *const odd[] = {
        "//", "/a/", "/a//b", "//a", "/.", "/..", "/a/.", "/a/..", "/a/../b", "/./a", "/a/./b",
    };
    char why[256], path[5000];

    (void)state;
    accepts(rule_path, "/");
    accepts(rule_path, "/a");
    accepts(rule_path, "/a/.b/..c/d..");
    accepts(rule_path, "/a b/\xc3\xa4");
    refuses(rule_path, "", "\"\" is a relative path; begin it with /");
    refuses(rule_path, "a/b", "\"a/b\" is a relative path; begin it with /");
    refuses(rule_path, "./a", "\"./a\" is a relative path; begin it with /");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        (void)snprintf(why, sizeof why,
                       "\"%s\" has a part that is empty, . or ..; write it without", odd[i]);
        refuses(rule_path, odd[i], why);
    }
    memset(path, 'a', sizeof path);
    path[0] = '/';
    path[4096] = '\0';
    refuses(rule_path, path, "the path is too long; use fewer than 4096 bytes");
    path[4095] = '\0';
    accepts(rule_path, path);
    path[108] = '\0';
    refuses(rule_socket_path, path,
            "the path is longer than a socket's can be; use at most 107 bytes");
    path[107] = '\0';
    accepts(rule_socket_path, path);
    path[106] = '/';
    accepts(rule_socket_path, path);

    accepts(rule_socket_path, "/run/x/");
    refuses(rule_socket_path, "run/x/", "\"run/x/\" is a relative path; begin it with /");
    refuses(rule_socket_path, "", "\"\" is a relative path; begin it with /");
    refuses(rule_socket_path, "/", "\"/\" is every socket; name a directory below it");
    refuses(rule_socket_path, "/run/x//",
            "\"/run/x/\" has a part that is empty, . or ..; write it without");
    refuses(rule_socket_path, "/run/../",
            "\"/run/..\" has a part that is empty, . or ..; write it without");
}

static void test_private_path(void **state)
{
    (void)state;
    accepts(rule_private_path, "/opt/hca");
    accepts(rule_private_path, "/home");
    accepts(rule_private_path, "/srv");
    accepts(rule_private_path, "/var/lib/docker");
    accepts(rule_private_path, "/etc/ssh");
    accepts(rule_private_path, "/usr/local/share");
    accepts(rule_private_path, "/run/secrets");
    accepts(rule_private_path, "/root");
    accepts(rule_private_path, "/tmpfiles");
    refuses(rule_private_path, "/", "\"/\" is everything; name a directory below it");
    refuses(rule_private_path, "opt", "\"opt\" is a relative path; begin it with /");
    refuses(rule_private_path, "/opt/",
            "\"/opt/\" has a part that is empty, . or ..; write it without");
    refuses(rule_private_path, "/usr",
            "\"/usr\" holds /usr/bin, which sessions need; name another directory");
    refuses(rule_private_path, "/etc",
            "\"/etc\" holds /etc/pam.d, which sessions need; name another directory");
    refuses(rule_private_path, "/var",
            "\"/var\" holds /var/tmp, which sessions need; name another directory");
    refuses(rule_private_path, "/run",
            "\"/run\" holds /run/user, which sessions need; name another directory");
    refuses(rule_private_path, "/var/lib",
            "\"/var/lib\" holds /var/lib/pam-sandbox/home, which sessions need; name another "
            "directory");
    refuses(rule_private_path, "/proc",
            "\"/proc\" is /proc, which sessions need; name another directory");
    refuses(rule_private_path, "/dev",
            "\"/dev\" is /dev, which sessions need; name another directory");
    refuses(rule_private_path, "/proc/sys",
            "\"/proc/sys\" is in /proc, where nothing can be covered; name another directory");
    refuses(rule_private_path, "/tmp/a",
            "\"/tmp/a\" is in /tmp, where nothing can be covered; name another directory");
    refuses(rule_private_path, "/run/user/1000",
            "\"/run/user/1000\" is in /run/user, where nothing can be covered; name another "
            "directory");
    refuses(
        rule_private_path, "/var/lib/pam-sandbox/home/other",
        "\"/var/lib/pam-sandbox/home/other\" is in /var/lib/pam-sandbox/home, where nothing can "
        "be covered; name another directory");
}

static void test_allowed_host(void **state)
{
    static const char *const wrong[] = {
        "",
        "Example.org",
        "example..org",
        ".example.org",
        "example.org.",
        "-a.org",
        "a-.org",
        "a b.org",
        "*",
        "*.",
        "a.*.org",
        "*example.org",
        "10.0.0.1",
        "[fd00::1]",
        "a.org:443",
        "https://a.org",
        "a/b",
        "\xc3\xa4.org",
    };
    char long_label[80], why[512];

    (void)state;
    accepts(rule_allowed_host, "example.org");
    accepts(rule_allowed_host, "*.example.org");
    accepts(rule_allowed_host, "localhost");
    accepts(rule_allowed_host, "a-b.xn--4ca.org");
    accepts(rule_allowed_host, "1.pool.org");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(why, sizeof why,
                       "\"%s\" is not the name of a host; use lower-case letters, digits, - and ., "
                       "as in example.org or *.example.org",
                       wrong[i]);
        refuses(rule_allowed_host, wrong[i], why);
    }
    memset(long_label, 'a', 63);
    long_label[63] = '\0';
    accepts(rule_allowed_host, long_label);
    strcpy(long_label + 63, "a");
    (void)snprintf(why, sizeof why,
                   "\"%s\" is not the name of a host; use lower-case letters, digits, - and ., "
                   "as in example.org or *.example.org",
                   long_label);
    refuses(rule_allowed_host, long_label, why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sandbox_name),
        cmocka_unit_test(test_lock_user),
        cmocka_unit_test(test_program_name),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_stop_service),
        cmocka_unit_test(test_allowed),
        cmocka_unit_test(test_refused_variable),
        cmocka_unit_test(test_deny_env),
        cmocka_unit_test(test_env),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_private_path),
        cmocka_unit_test(test_allowed_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
