/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/rules.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>

#include "conf/paths.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool matches_any(const char *text, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, text, 0) == 0)
            return true;
    return false;
}

/* The strict form of systemd.io/USER_NAMES, which every program accepts: what systemd creates. */
static bool is_portable_name(const char *text)
{
    const size_t n = strlen(text);

    return n >= 1 && n <= 31 && strchr(LOWER UPPER "_", text[0]) &&
           strspn(text, LOWER UPPER DIGITS "_-") == n;
}

int rule_user_name(const char *text, struct reason *reason)
{
    if (!is_portable_name(text))
        return refuse(
            reason,
            "\"%.64s\" is not a portable user name; use 1 to 31 letters, digits, _ and -, "
            "beginning with a letter or _",
            text);
    return 0;
}

int rule_sandbox_name(const char *text, struct reason *reason)
{
    /* nobody and nogroup exist without an entry in any file: nss-systemd(8) makes them up. */
    static const char *const reserved[] = {
        "root", "nobody", "nogroup", SANDBOXES_GROUP, NULL,
    };
    const int r = rule_user_name(text, reason);

    if (r == 0 && matches_any(text, reserved))
        return refuse(reason, "\"%s\" is a name that the system uses; choose another", text);
    return r;
}

int rule_lock_user(const char *text, struct reason *reason)
{
    const int r = rule_user_name(text, reason);

    if (r == 0 && strcmp(text, "root") == 0)
        return refuse(reason, "root cannot be kept from being root; name another user");
    return r;
}

/* As the kernel keeps it for a process, and nothing longer: TASK_COMM_LEN in include/linux/sched.h.
 */
int rule_program_name(const char *text, struct reason *reason)
{
    const size_t n = strlen(text);

    if (n == 0 || n > 15 || strspn(text, LOWER UPPER DIGITS "._-+:") != n)
        return refuse(reason,
                      "\"%.64s\" is not the name of a program; use at most 15 letters, digits, and "
                      ". _ - + :",
                      text);
    return 0;
}

/* Groups that are root, or have what is root's, by another name. */
static const struct {
    const char *name;
    const char *how;
} root_groups[] = {
    { "root", "owns the system's files" },
    { "docker", "starts containers as root" },
    { "podman", "starts containers as root" },
    { "lxd", "starts containers as root" },
    { "lxc", "starts containers as root" },
    { "incus", "starts containers as root" },
    { "incus-admin", "starts containers as root" },
    { "microk8s", "starts containers as root" },
    { "libvirt", "starts machines with the host's disks" },
    { "libvirt-qemu", "owns the machines' disks" },
    { "vboxusers", "starts machines with the host's disks" },
    { "disk", "writes the disks" },
    { "floppy", "writes the disks" },
    { "tape", "writes the backups" },
    { "backup", "reads the backups" },
    { "kmem", "reads the memory" },
    { "shadow", "reads the passwords" },
    { "wheel", "may use sudo or polkit" },
    { "sudo", "may use sudo or polkit" },
    { "admin", "may use sudo or polkit" },
    { "empower", "is administrator to systemd and polkit" },
    { "staff", "writes /usr/local" },
    { "adm", "reads the logs" },
    { "systemd-journal", "reads the logs" },
    { "crontab", "writes the crontabs" },
    { "input", "reads the keyboard" },
    { "ssl-cert", "reads private keys" },
    { "netdev", "configures the network" },
    { "lpadmin", "configures the printing service, which runs as root" },
    { "wireshark", "captures the network" },
    { "nixbld", "writes what others run" },
    { "messagebus", "is the system bus" },
    { "polkitd", "is polkit" },
    { "tss", "uses the TPM" },
};

const char *config_group_is_root_by(const char *name)
{
    for (size_t i = 0; i < sizeof root_groups / sizeof *root_groups; i++)
        if (strcmp(name, root_groups[i].name) == 0)
            return root_groups[i].how;
    return NULL;
}

int rule_group(const char *text, struct reason *reason)
{
    const char *how = config_group_is_root_by(text);

    if (!is_portable_name(text))
        return refuse(reason, "\"%.64s\" is not a group name; use 1 to 31 letters, digits, _ and -",
                      text);
    if (strcmp(text, SANDBOXES_GROUP) == 0)
        return refuse(reason, "every sandbox is in \"%s\"; remove it from the list", text);
    if (how)
        return refuse(reason, "\"%s\" is root by another name: it %s; remove it", text, how);
    return 0;
}

int rule_stop_service(const char *text, struct reason *reason)
{
    /* Without these there is no system to log in to, or none of our own. */
    static const char *const needed[] = {
        "systemd-*", "dbus.*",       "dbus-broker.*", "user@*",      "user-runtime-dir@*",
        "getty@*",   "pam-sandbox*", "polkit.*",      "emergency.*", "rescue.*",
        NULL,
    };
    static const char *const kinds[] = { "*.service", "*.socket", "*.timer", "*.path", NULL };
    const size_t n = strlen(text);

    if (n > 255 || strspn(text, LOWER UPPER DIGITS ":-_.@\\") != n || strchr("@.-", text[0]))
        return refuse(reason, "\"%.64s\" is not the name of a unit; use one as systemctl shows it",
                      text);
    if (!matches_any(text, kinds))
        return refuse(reason,
                      "\"%s\" is not a service, socket, timer or path; give the full name, as in "
                      "docker.socket",
                      text);
    if (matches_any(text, needed))
        return refuse(reason, "\"%s\" is part of the system, or of this package; remove it", text);
    return 0;
}

/* Variables that the session sets itself, or that speak to its manager, to PAM, or to run0. */
static const char *const session_variables[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PWD",
    "MAIL",
    "TERM",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_*",
    "XDG_SEAT*",
    "XDG_VTNR",
    "DBUS_SESSION_BUS_ADDRESS",
    "SUDO_*",
    "NOTIFY_SOCKET",
    "MANAGERPID",
    "MANAGERPIDFDID",
    "MAINPID",
    "LISTEN_*",
    "WATCHDOG_*",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "SYSTEMD_*",
    "MEMORY_PRESSURE_*",
    "CREDENTIALS_DIRECTORY",
    "PAM_*",
    NULL,
};

/* Those that ld.so(8) keeps from privileged programs, and those of shells that run a file. */
static const char *const loader_variables[] = {
    "LD_*",     "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES",      "LOCALDOMAIN",
    "LOCPATH",  "MALLOC_*",   "NIS_PATH",    "NLSPATH",        "RESOLV_HOST_CONF", "RES_OPTIONS",
    "BASH_ENV", "ENV",        NULL,
};

static const char *const job_variables[] = { "ACTIONS_*", NULL };

const char *config_refused_variable(const char *name)
{
    const size_t n = strlen(name);

    if (n == 0 || n > 127 || strchr(DIGITS, name[0]) || strspn(name, LOWER UPPER DIGITS "_") != n)
        return "is not a name of a variable; use letters, digits and _";
    if (matches_any(name, job_variables))
        return "is a variable of the job that no sandbox may see";
    if (matches_any(name, loader_variables))
        return "changes what code programs load or run";
    if (matches_any(name, session_variables))
        return "is set by the session itself";
    return NULL;
}

int rule_env(const char *text, struct reason *reason)
{
    const char *equals = strchr(text, '='), *why;
    const size_t n = equals ? (size_t)(equals - text) : strlen(text);
    char name[128];

    if (!equals || n == 0 || n >= sizeof name)
        return refuse(reason, "\"%.64s\" is not NAME=VALUE", text);
    memcpy(name, text, n);
    name[n] = '\0';
    why = config_refused_variable(name);
    if (why && strchr(why, ';'))
        return refuse(reason, "\"%s\" %s", name, why);
    if (why)
        return refuse(reason, "%s %s; remove it", name, why);
    return 0;
}

int rule_allowed_env(const char *text, struct reason *reason)
{
    const size_t n = strlen(text);
    const char *why;

    if (n == 0 || n > 127 || strspn(text, LOWER UPPER DIGITS "_*?[]!-") != n)
        return refuse(reason,
                      "\"%.64s\" is not a pattern of names; use letters, digits, _ and * ? [ ]",
                      text);
    /* A wider pattern may match such a name, too, which is refused all the same. */
    why = text[strcspn(text, "*?[")] ? NULL : config_refused_variable(text);
    if (why)
        return refuse(reason, "%s %s; remove it", text, why);
    return 0;
}

int rule_allowed_group(const char *text, struct reason *reason)
{
    if (!is_portable_name(text))
        return refuse(reason, "\"%.64s\" is not a group name; use 1 to 31 letters, digits, _ and -",
                      text);
    if (strcmp(text, SANDBOXES_GROUP) == 0)
        return refuse(reason, "no sandbox enters another; remove \"%s\"", text);
    return 0;
}

int rule_deny_env(const char *text, struct reason *reason)
{
    const size_t n = strlen(text);

    if (n == 0 || n > 127 || strspn(text, LOWER UPPER DIGITS "_*?[]!-") != n)
        return refuse(reason,
                      "\"%.64s\" is not a pattern of names; use letters, digits, _ and * ? [ ]",
                      text);
    if (fnmatch(text, "PATH", 0) == 0)
        return refuse(reason, "\"%s\" matches PATH, which sessions need; use a narrower pattern",
                      text);
    for (const char *const *name = session_variables; *name; name++)
        if (!strchr(*name, '*') && fnmatch(text, *name, 0) == 0)
            return refuse(reason, "\"%s\" matches %s, which sessions need; use a narrower pattern",
                          text, *name);
    return 0;
}

/* Absolute, with one spelling: no // . .. and no / at the end. */
int rule_path(const char *text, struct reason *reason)
{
    if (text[0] != '/')
        return refuse(reason, "\"%.128s\" is a relative path; begin it with /", text);
    if (strlen(text) >= 4096)
        return refuse(reason, "the path is too long; use fewer than 4096 bytes");
    for (const char *p = text; *p;) {
        const char *part = p + 1;
        const size_t n = strcspn(part, "/");

        if ((n == 0 && p != text) || (n == 0 && *part == '/') || (n == 1 && part[0] == '.') ||
            (n == 2 && part[0] == '.' && part[1] == '.'))
            return refuse(reason, "\"%.128s\" has a part that is empty, . or ..; write it without",
                          text);
        p = part + n;
    }
    return 0;
}

/* A path, or a directory with '/' behind it: every socket below. */
int rule_socket_path(const char *text, struct reason *reason)
{
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path];
    size_t n = strlen(text);

    if (text[0] != '/')
        return rule_path(text, reason);
    if (n >= sizeof path)
        return refuse(reason, "the path is longer than a socket's can be; use at most %zu bytes",
                      sizeof path - 1);
    if (strcmp(text, "/") == 0)
        return refuse(reason, "\"/\" is every socket; name a directory below it");
    n -= text[n - 1] == '/';
    memcpy(path, text, n);
    path[n] = '\0';
    return rule_path(path, reason);
}

static bool is_below(const char *path, const char *directory)
{
    const size_t n = strlen(directory);

    return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

int rule_private_path(const char *text, struct reason *reason)
{
    /* A session without one of these does not start, or does nothing. */
    static const char *const needed[] = {
        "/usr/bin",
        "/usr/sbin",
        "/usr/lib",
        "/usr/lib64",
        "/usr/share",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/etc/pam.d",
        "/etc/security",
        "/etc/ssl",
        "/etc/alternatives",
        "/proc",
        "/sys",
        "/dev",
        "/tmp",
        "/var/tmp",
        "/run/user",
        "/run/systemd",
        "/run/dbus",
        RUN_DIR,
        STATE_HOME_DIR,
        PKGLIBEXECDIR,
        "/usr/lib/systemd",
        "/etc/systemd",
        NULL,
    };
    /* Those where the sandbox itself could put something else in the way, and kernel interfaces: a
     * mount below /proc would keep nested namespaces from mounting their own (mount_too_revealing()
     * in fs/namespace.c). */
    static const char *const closed[] = {
        "/proc", "/sys", "/dev", "/tmp", "/var/tmp", "/run/user", RUN_DIR, STATE_HOME_DIR, NULL,
    };
    const int r = rule_path(text, reason);

    if (r < 0)
        return r;
    if (strcmp(text, "/") == 0)
        return refuse(reason, "\"/\" is everything; name a directory below it");
    for (const char *const *path = needed; *path; path++)
        if (is_below(*path, text))
            return refuse(reason, "\"%.128s\" %s %s, which sessions need; name another directory",
                          text, strcmp(*path, text) == 0 ? "is" : "holds", *path);
    for (const char *const *path = closed; *path; path++)
        if (is_below(text, *path))
            return refuse(reason,
                          "\"%.128s\" is in %s, where nothing can be covered; name another "
                          "directory",
                          text, *path);
    return 0;
}

int rule_allowed_host(const char *text, struct reason *reason)
{
    const char *name = strncmp(text, "*.", 2) == 0 ? text + 2 : text;
    const size_t n = strlen(name);
    bool letter = false;

    for (const char *label = name; n > 0 && n <= 253;) {
        const size_t size = strcspn(label, ".");

        if (size == 0 || size > 63 || label[0] == '-' || label[size - 1] == '-' ||
            strspn(label, LOWER DIGITS "-_") < size)
            break;
        letter |= strcspn(label, LOWER) < size;
        if (label[size] == '\0' && letter)
            return 0;
        if (label[size] == '\0')
            break;
        label += size + 1;
    }
    return refuse(reason,
                  "\"%.128s\" is not the name of a host; use lower-case letters, digits, - and ., "
                  "as in example.org or *.example.org",
                  text);
}
