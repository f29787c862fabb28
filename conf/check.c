/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/check.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/origins.h"
#include "conf/ranges.h"

static const struct option *option_of(const struct config *config,
                                      const struct config_sandbox *sandbox, const void *field)
{
    const size_t border = options_first_of_sandbox();
    const size_t offset =
        (size_t)((const char *)field - (sandbox ? (const char *)sandbox : (const char *)config));

    for (size_t i = sandbox ? border : 0; i < (sandbox ? n_options : border); i++)
        if (options[i].offset == offset)
            return &options[i];
    return NULL;
}

/* Prefixes the message, "uid: …". */
static void problem_prefixed(const struct config *config, struct origin at, const char *prefix,
                             struct problems *problems, const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

static void problem_prefixed(const struct config *config, struct origin at, const char *prefix,
                             struct problems *problems, const char *format, va_list arguments)
{
    const char *file = config->origins ? origin_file(config->origins, at) : NULL;
    char message[768];

    (void)vsnprintf(message, sizeof message, format, arguments);
    problem(problems, file ? file : "", at.line, "%s: %s", prefix, message);
}

static struct origin section_origin(const struct config *config,
                                    const struct config_sandbox *sandbox)
{
    if (!config->origins)
        return (struct origin){ 0 };
    return config->origins->sandboxes[sandbox - config->sandboxes].section;
}

void problem_at(const struct config *config, const struct config_sandbox *sandbox,
                const void *field, size_t index, struct problems *problems, const char *format, ...)
{
    const struct option *option = option_of(config, sandbox, field);
    const struct option_origin *origin = origin_find(config, sandbox, option);
    struct origin at = { 0 };
    char name[64];
    va_list arguments;

    if (origin)
        at = index < origin->n_elements ? origin->elements[index] : origin->at;
    if (at.file == 0 && sandbox) /* it was set nowhere */
        at = section_origin(config, sandbox);
    va_start(arguments, format);
    problem_prefixed(config, at, option_full_name(option, name), problems, format, arguments);
    va_end(arguments);
}

void problem_at_section(const struct config *config, const struct config_sandbox *sandbox,
                        struct problems *problems, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    problem_prefixed(config, section_origin(config, sandbox), sections[SECTION_SANDBOX].name,
                     problems, format, arguments);
    va_end(arguments);
}

/* Not for one whose uid was set and refused, or may be among what could not be read. */
static void check_uid(const struct config *config, const struct config_sandbox *sandbox,
                      struct problems *problems)
{
    const struct config_origins *origins = config->origins;

    if (sandbox->uid != 0)
        return;
    if (origins && origins->sandboxes[sandbox - config->sandboxes].incomplete)
        return;
    if (origins && origin_find(config, sandbox, option_of(config, sandbox, &sandbox->uid))->at.file)
        return;
    problem_at(config, sandbox, &sandbox->uid, 0, problems,
               "sandbox \"%s\" has none; write uid = with a free id from 1000 to 59999",
               sandbox->name);
}

/* The value's NAME= with a pattern that no run0 session sees, or set twice. */
static void check_env(const struct config *config, const struct config_sandbox *sandbox,
                      struct problems *problems)
{
    for (size_t i = 0; sandbox->env[i]; i++) {
        const char *env = sandbox->env[i];
        const size_t n = strcspn(env, "=");
        char name[128];

        if (n >= sizeof name)
            continue;
        memcpy(name, env, n);
        name[n] = '\0';
        for (size_t p = 0; config->run0.deny_env[p]; p++)
            if (fnmatch(config->run0.deny_env[p], name, 0) == 0)
                problem_at(config, sandbox, &sandbox->env, i, problems,
                           "%s is denied to every session by deny-env (\"%s\"); remove one of them",
                           name, config->run0.deny_env[p]);
        for (size_t other = 0; other < i; other++)
            if (strncmp(sandbox->env[other], env, n + 1) == 0) {
                problem_at(config, sandbox, &sandbox->env, i, problems,
                           "%s is set twice; remove one, or replace the list with =", name);
                break;
            }
    }
}

static void check_groups(const struct config *config, const struct config_sandbox *sandbox,
                         struct problems *problems)
{
    for (size_t i = 0; sandbox->groups[i]; i++)
        if (config_find_sandbox(config, sandbox->groups[i]))
            problem_at(config, sandbox, &sandbox->groups, i, problems,
                       "\"%s\" is a sandbox, and no sandbox reaches another; remove it",
                       sandbox->groups[i]);
}

/* Its own user, too: what runs there has no business at the door. */
static void check_allowed(const struct config *config, const struct config_sandbox *sandbox,
                          struct problems *problems)
{
    for (size_t i = 0; sandbox->allow_users[i]; i++)
        if (config_find_sandbox(config, sandbox->allow_users[i]))
            problem_at(config, sandbox, &sandbox->allow_users, i, problems,
                       "\"%s\" is a sandbox, and no sandbox enters one; remove it",
                       sandbox->allow_users[i]);
    for (size_t i = 0; sandbox->allow_groups[i]; i++)
        if (config_find_sandbox(config, sandbox->allow_groups[i]))
            problem_at(config, sandbox, &sandbox->allow_groups, i, problems,
                       "\"%s\" is a sandbox's group, and no sandbox enters one; remove it",
                       sandbox->allow_groups[i]);
}

static void check_private_paths(const struct config *config, const struct config_sandbox *sandbox,
                                struct problems *problems)
{
    char **paths = sandbox->private_paths;

    for (size_t i = 0; paths[i]; i++)
        for (size_t other = 0; paths[other]; other++) {
            const size_t n = strlen(paths[other]);

            if (i != other && strncmp(paths[i], paths[other], n) == 0 && paths[i][n] == '/')
                problem_at(config, sandbox, &sandbox->private_paths, i, problems,
                           "\"%s\" is in \"%s\", which is empty in a session; remove one of them",
                           paths[i], paths[other]);
        }
}

struct port_user {
    uint16_t port;
    const struct config_sandbox *sandbox;
};

static int by_port(const void *a, const void *b)
{
    const struct port_user *first = a, *second = b;

    if (first->port != second->port)
        return first->port < second->port ? -1 : 1;
    return first->sandbox < second->sandbox ? -1 : first->sandbox > second->sandbox;
}

static int check_ports(const struct config *config, struct problems *problems)
{
    _cleanup_free_ struct port_user *users = calloc(config->n_sandboxes + 1, sizeof *users);
    size_t n = 0;

    if (!users)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_sandboxes; i++)
        if (config->sandboxes[i].egress.proxy && config->sandboxes[i].uid != 0)
            users[n++] = (struct port_user){
                .port = config_egress_port(&config->sandboxes[i]),
                .sandbox = &config->sandboxes[i],
            };
    qsort(users, n, sizeof *users, by_port);
    for (size_t i = 1; i < n; i++)
        /* The same uid is told elsewhere. */
        if (users[i].port == users[i - 1].port &&
            users[i].sandbox->uid != users[i - 1].sandbox->uid)
            problem_at(config, users[i].sandbox, &users[i].sandbox->egress.port, 0, problems,
                       "the proxies of \"%s\" and \"%s\" would both listen on port %u; set port to "
                       "another for one of them",
                       users[i - 1].sandbox->name, users[i].sandbox->name, users[i].port);
    return 0;
}

int check_config(const struct config *config, struct problems *problems)
{
    if (config->host.lock_user && config_find_sandbox(config, config->host.lock_user))
        problem_at(config, NULL, &config->host.lock_user, 0, problems,
                   "\"%s\" is a sandbox, which has no way to root as it is; name another user",
                   config->host.lock_user);
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];

        check_uid(config, sandbox, problems);
        check_env(config, sandbox, problems);
        check_groups(config, sandbox, problems);
        check_private_paths(config, sandbox, problems);
        check_allowed(config, sandbox, problems);
    }
    return check_ports(config, problems);
}

int check_ids(const struct config *config, struct problems *problems)
{
    _cleanup_(ranges_done) struct ranges ranges = { 0 };
    int r = ranges_add_config(&ranges, config);

    if (r == 0)
        ranges_check(&ranges, config, problems);
    return r;
}
