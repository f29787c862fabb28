/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/environment.h"
#include "pam_sandbox/proxied.h"

/* Where a variable may be kept, as the bits of a mask. */
enum {
    KEEP_RUN0_ACCOUNT = 1 << 0,
    KEEP_RUN0_SESSION = 1 << 1,
    KEEP_MANAGER = 1 << 2,
    KEEP_PROVING = 1 << 3,
    KEEP_RUN0 = KEEP_RUN0_ACCOUNT | KEEP_RUN0_SESSION,
};

/* Variables that somebody else sets and the session keeps: the caller's terminal, pam_systemd's
 * word on the session, and the protocol between systemd and a user manager, without which
 * user@.service waits for its readiness in vain. A value that is not of the plain form that these
 * have is as good as a variable that is not on the list: a terminal's name becomes a path in the
 * terminfo library. */
static const struct {
    const char *pattern; /* fnmatch(3) */
    unsigned keep;
    const char *value; /* the characters its value may have, NULL for any */
} environment_kept[] = {
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._"
    { "TERM", KEEP_RUN0, PLAIN },
    { "COLORTERM", KEEP_RUN0, PLAIN },
    { "NO_COLOR", KEEP_RUN0, PLAIN },
    /* pam_systemd(8) */
    { "XDG_SESSION_ID", KEEP_RUN0_SESSION | KEEP_MANAGER, PLAIN },
    { "XDG_SESSION_TYPE", KEEP_RUN0_SESSION | KEEP_MANAGER, PLAIN },
    { "XDG_SESSION_CLASS", KEEP_RUN0_SESSION | KEEP_MANAGER, PLAIN },
    /* sd_notify(3), sd_listen_fds(3), sd_watchdog_enabled(3), systemd.exec(5) */
    { "NOTIFY_SOCKET", KEEP_MANAGER, NULL },
    { "MANAGERPID", KEEP_MANAGER, PLAIN },
    { "MANAGERPIDFDID", KEEP_MANAGER, PLAIN },
    { "LISTEN_*", KEEP_MANAGER, NULL },
    { "WATCHDOG_*", KEEP_MANAGER, PLAIN },
    { "INVOCATION_ID", KEEP_MANAGER, PLAIN },
    { "JOURNAL_STREAM", KEEP_MANAGER, PLAIN ":" },
    { "SYSTEMD_EXEC_PID", KEEP_MANAGER, PLAIN },
    { "MEMORY_PRESSURE_*", KEEP_MANAGER, NULL },
    { PROVING_VARIABLE, KEEP_PROVING, PLAIN },
    { PROVING_MARK, KEEP_PROVING, PLAIN },
#undef PLAIN
};

/* containers.conf(5) */
#define CONTAINERS "CONTAINERS_CONF_OVERRIDE"

/* Variables that the configuration may say otherwise, beside that one. */
static const char *const environment_defaults[] = {
    /* The directories where systemd looks for programs; a user can write in none of them. */
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
    "LANG=C.UTF-8",
    NULL,
};

struct strings {
    char **list;
    size_t n;
};

static void strings_done(struct strings *s)
{
    cleanup_strvp(&s->list);
}

/* Takes ownership of string, also when it fails; NULL is a failed allocation. */
static int strings_add(struct strings *s, char *string)
{
    char **list = string ? reallocarray(s->list, s->n + 2, sizeof *list) : NULL;

    if (!list) {
        free(string);
        return -ENOMEM;
    }

    list[s->n++] = string;
    list[s->n] = NULL;
    s->list = list;
    return 0;
}

/* An empty vector is one that holds its terminator. */
static int strings_finish(struct strings *s, char ***ret)
{
    if (!s->list) {
        s->list = calloc(1, sizeof *s->list);
        if (!s->list)
            return -ENOMEM;
    }

    *ret = steal_ptr(s->list);
    return 0;
}

static size_t name_length(const char *assignment)
{
    return strcspn(assignment, "=");
}

/* Whether assignments, NULL-terminated, has one for name. */
static bool has_name(char *const *assignments, const char *name, size_t length)
{
    for (; *assignments; assignments++)
        if (strncmp(*assignments, name, length) == 0 && (*assignments)[length] == '=')
            return true;

    return false;
}

static unsigned keep_mask(const struct environment_session *session)
{
    unsigned mask = session->proving ? KEEP_PROVING : 0;

    if (session->service == ADMISSION_MANAGER)
        return mask | KEEP_MANAGER;
    return mask | (session->phase == ENVIRONMENT_ACCOUNT ? KEEP_RUN0_ACCOUNT : KEEP_RUN0_SESSION);
}

static bool may_keep(unsigned mask, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof environment_kept / sizeof environment_kept[0]; i++) {
        if (!(environment_kept[i].keep & mask) ||
            fnmatch(environment_kept[i].pattern, name, 0) != 0)
            continue;
        return !environment_kept[i].value ||
               value[strspn(value, environment_kept[i].value)] == '\0';
    }

    return false;
}

__attribute__((format(printf, 2, 3))) static int add_formatted(struct strings *s,
                                                               const char *format, ...)
{
    va_list arguments;
    char *string;
    int r;

    va_start(arguments, format);
    r = vasprintf(&string, format, arguments);
    va_end(arguments);

    return strings_add(s, r < 0 ? NULL : string);
}

/* What the configuration says of one of them wins. */
static int add_unless_configured(struct strings *set, const struct config_sandbox *sandbox,
                                 const char *const *assignments)
{
    for (; *assignments; assignments++) {
        int r = 0;

        if (!has_name(sandbox->env, *assignments, name_length(*assignments)))
            r = strings_add(set, strdup(*assignments));
        if (r < 0)
            return r;
    }
    return 0;
}

/* The session's own variables. */
static int plan_set(const struct environment_session *session, struct strings *set)
{
    const struct admission_user *user = session->user;
    const struct config_sandbox *sandbox = session->sandbox;
    _cleanup_strv_ char **proxied = NULL;
    _cleanup_free_ char *containers = proxied_containers_conf(sandbox);
    int r;

    if (!containers)
        return -ENOMEM;
    if ((r = add_formatted(set, "HOME=%s", user->home)) < 0 ||
        (r = add_formatted(set, "USER=%s", user->name)) < 0 ||
        (r = add_formatted(set, "LOGNAME=%s", user->name)) < 0 ||
        (r = add_formatted(set, "SHELL=%s", user->shell)) < 0 ||
        (r = add_formatted(set, "XDG_RUNTIME_DIR=/run/user/%" PRIu32, user->uid)) < 0 ||
        /* Without a bus that it can reach podman gives up systemd's cgroups for its own. */
        (r = add_formatted(set, "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/%" PRIu32 "/bus",
                           user->uid)) < 0)
        return r;

    if (!has_name(sandbox->env, CONTAINERS, strlen(CONTAINERS)) &&
        (r = add_formatted(set, CONTAINERS "=%s", containers)) < 0)
        return r;
    if ((r = proxied_variables(sandbox, session->for_java, &proxied)) < 0 ||
        (r = add_unless_configured(set, sandbox, environment_defaults)) < 0 ||
        (r = add_unless_configured(set, sandbox, (const char *const *)proxied)) < 0)
        return r;

    for (char **e = sandbox->env; *e; e++)
        if ((r = strings_add(set, strdup(*e))) < 0)
            return r;

    return 0;
}

int environment_plan(const struct environment_session *session, char *const *current,
                     char ***ret_remove, char ***ret_set)
{
    _cleanup_(strings_done) struct strings remove = { 0 }, set = { 0 };
    _cleanup_strv_ char **removed = NULL;
    unsigned mask = keep_mask(session);
    int r;

    r = plan_set(session, &set);
    if (r < 0)
        return r;

    for (; *current; current++) {
        size_t length = name_length(*current);
        _cleanup_free_ char *name = strndup(*current, length);

        if (!name)
            return -ENOMEM;
        if (has_name(set.list, name, length) ||
            ((*current)[length] == '=' && may_keep(mask, name, *current + length + 1)))
            continue;
        r = strings_add(&remove, steal_ptr(name));
        if (r < 0)
            return r;
    }

    r = strings_finish(&remove, &removed);
    if (r < 0)
        return r;
    r = strings_finish(&set, ret_set);
    if (r < 0)
        return r;
    *ret_remove = steal_ptr(removed);
    return 0;
}

int environment_plan_denied(char *const *patterns, char *const *current, char ***ret_remove)
{
    _cleanup_(strings_done) struct strings remove = { 0 };

    for (; *current; current++) {
        _cleanup_free_ char *name = strndup(*current, name_length(*current));

        if (!name)
            return -ENOMEM;
        for (char *const *pattern = patterns; *pattern; pattern++) {
            if (fnmatch(*pattern, name, 0) != 0)
                continue;
            if (strings_add(&remove, steal_ptr(name)) < 0)
                return -ENOMEM;
            break;
        }
    }

    return strings_finish(&remove, ret_remove);
}
