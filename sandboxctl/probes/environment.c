/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment of a session. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/proxied.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* What a session has from elsewhere, so that only the name is known. */
static const char *const names_of_any_value[] = {
    "TERM", "COLORTERM", "NO_COLOR", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_SESSION_CLASS",
    NULL,
};

static bool is_name_of(const char *assignment, const char *name)
{
    size_t length = strlen(name);

    return strncmp(assignment, name, length) == 0 && assignment[length] == '=';
}

/* expected: "NAME=VALUE", or "NAME" for any value. */
static bool is_expected(const char *assignment, char *const *expected)
{
    for (; *expected; expected++)
        if (strchr(*expected, '=') ? strcmp(assignment, *expected) == 0
                                   : is_name_of(assignment, *expected))
            return true;
    return false;
}

/* env-fixed EXPECTED…: gets through when there is anything else. */
enum attempt_result attempt_env_fixed(int argc, char **argv)
{
    char found[512] = "";
    size_t n = 0;

    for (char **e = environ; *e; e++) {
        if (is_expected(*e, argv + 1))
            continue;
        /* Names alone: a value may be a secret. */
        n++;
        if (strlen(found) + strcspn(*e, "=") + 2 < sizeof found)
            sprintf(found + strlen(found), " %.*s", (int)strcspn(*e, "="), *e);
    }

    if (n > 0)
        return attempt_say(ATTEMPT_THROUGH,
                           "variables beside the session's own, or with another "
                           "value:%s",
                           found);
    return attempt_say(ATTEMPT_REFUSED,
                       "variables given by --setenv= and by the manager: none "
                       "beside the session's own %d",
                       argc - 1);
}

/* env-own EXPECTED…: gets through when each one with a value is there. */
enum attempt_result attempt_env_own(int argc, char **argv)
{
    (void)argc;

    for (char **a = argv + 1; *a; a++) {
        bool found = !strchr(*a, '=');

        for (char **e = environ; *e && !found; e++)
            found = strcmp(*a, *e) == 0;
        if (!found)
            return attempt_say(ATTEMPT_REFUSED, "%.*s is not there with its value",
                               (int)strcspn(*a, "="), *a);
    }
    return attempt_say(ATTEMPT_THROUGH, "the session's own variables are there");
}

/* env-name NAME…: gets through when one of them is in the environment. */
enum attempt_result attempt_env_name(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (getenv(argv[i]))
            return attempt_say(ATTEMPT_THROUGH, "%s given by --setenv= is there", argv[i]);
    return attempt_say(ATTEMPT_REFUSED, "%s%s given by --setenv= is not there", argv[1],
                       argc > 2 ? " and others" : "");
}

/* A variable name that the pattern matches, made by giving each wildcard one character. */
static bool name_for_pattern(const char *pattern, char *name, size_t size)
{
    size_t n = 0;

    for (const char *p = pattern; *p && n + 1 < size; p++) {
        if (*p == '*' || *p == '?')
            name[n++] = 'X';
        else if (*p == '[' && strchr(p, ']') && isalnum((unsigned char)p[1])) {
            name[n++] = p[1];
            p = strchr(p, ']');
        } else
            name[n++] = *p;
    }
    name[n] = '\0';
    return fnmatch(pattern, name, 0) == 0;
}

void probe_run0_env(struct probe_run *run)
{
    char *const *patterns = run->config->run0.deny_env;
    const char *arguments[34] = { "env-name" }, *setenvs[34];
    char names[32][128], assignments[33][160];
    const char *denied = NULL;
    size_t n = 0;

    for (; *patterns && n < 32; patterns++)
        if (name_for_pattern(*patterns, names[n], sizeof names[n])) {
            snprintf(assignments[n], sizeof assignments[n], "%s=canary", names[n]);
            setenvs[n] = assignments[n];
            arguments[n + 1] = names[n];
            n++;
        } else
            denied = *patterns;
    if (denied) {
        probe_found(run, VERDICT_FAIL, "could not be tried: no name was found that %s matches",
                    denied);
        return;
    }
    if (n == 0) {
        probe_skip(run, "deny-env is empty: run0 sessions get every variable they are given");
        return;
    }
    arguments[n + 1] = NULL;
    setenvs[n] = "PAM_SANDBOX_CANARY=canary";
    setenvs[n + 1] = NULL;

    const struct place place = { .user = "root", .setenv = setenvs };
    struct call calls[] = {
        { .argv = arguments },
        CALL("env-name", "PAM_SANDBOX_CANARY"),
    };
    place_run(run, &place, calls, 2);
    place_judge(run, &calls[0]);
    place_judge_control(run, &calls[1]);
}

static bool defines(char *const *assignments, const char *assignment)
{
    size_t length = strcspn(assignment, "=") + 1;

    for (; *assignments; assignments++)
        if (strncmp(*assignments, assignment, length) == 0)
            return true;
    return false;
}

void probe_env_fixed(struct probe_run *run)
{
    /* Loaders, interpreters and tools trust these; none is the session's own. A PATH that got
     * through would be seen by its value. */
    static const char *const given[] = {
        "PAM_SANDBOX_CANARY=canary",  "LD_LIBRARY_PATH=/nonexistent", "BASH_ENV=/nonexistent",
        "PYTHONPATH=/nonexistent",    "SUDO_COMMAND=canary",          "SSH_AUTH_SOCK=/nonexistent",
        "PATH=/nonexistent:/usr/bin", "XDG_DATA_HOME=/nonexistent",   NULL,
    };
    const struct config_sandbox *sandbox = run->sandbox;
    _cleanup_free_ char *containers = proxied_containers_conf(sandbox);
    _cleanup_strv_ char **proxied = NULL;
    char own[9][256];
    const char *expected[128] = { "env-fixed" }, *own_list[128];
    size_t n = 1;

    snprintf(own[0], sizeof own[0], "HOME=%s/%s", STATE_HOME_DIR, sandbox->name);
    snprintf(own[1], sizeof own[1], "USER=%s", sandbox->name);
    snprintf(own[2], sizeof own[2], "LOGNAME=%s", sandbox->name);
    snprintf(own[3], sizeof own[3], "SHELL=/bin/bash");
    snprintf(own[4], sizeof own[4], "XDG_RUNTIME_DIR=/run/user/%u", (unsigned)sandbox->uid);
    snprintf(own[5], sizeof own[5], "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/%u/bus",
             (unsigned)sandbox->uid);
    snprintf(own[6], sizeof own[6], "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
    snprintf(own[7], sizeof own[7], "LANG=C.UTF-8");
    snprintf(own[8], sizeof own[8], "CONTAINERS_CONF_OVERRIDE=%s", containers ? containers : "");

    if (proxied_variables(sandbox, proxied_for_java(sandbox), &proxied) < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: out of memory");
        return;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!defines(sandbox->env, own[i]))
            expected[n++] = own[i];
    for (char **p = proxied; *p && n < 64; p++)
        if (!defines(sandbox->env, *p))
            expected[n++] = *p;
    for (char **e = sandbox->env; *e && n < 120; e++)
        expected[n++] = *e;
    for (const char *const *name = names_of_any_value; *name && n < 127; name++)
        expected[n++] = *name;
    expected[n] = NULL;
    memcpy(own_list, expected, sizeof own_list);
    own_list[0] = "env-own";

    const struct place place = { .user = sandbox->name, .setenv = given };
    struct call calls[] = { { .argv = expected }, { .argv = own_list } };
    place_run(run, &place, calls, 2);
    place_judge(run, &calls[0]);
    place_judge_control(run, &calls[1]);
}
