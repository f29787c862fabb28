/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/request.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

int request_dispatch_flag(const char *name, sd_json_variant *variant,
                          sd_json_dispatch_flags_t flags, void *userdata)
{
    return sd_json_variant_is_null(variant)
               ? 0
               : sd_json_dispatch_stdbool(name, variant, flags, userdata);
}

int request_dispatch_number(const char *name, sd_json_variant *variant,
                            sd_json_dispatch_flags_t flags, void *userdata)
{
    return sd_json_variant_is_null(variant)
               ? 0
               : sd_json_dispatch_uint64(name, variant, flags, userdata);
}

static int dispatch_index(const char *name, sd_json_variant *variant,
                          sd_json_dispatch_flags_t flags, void *userdata)
{
    return sd_json_variant_is_null(variant)
               ? 0
               : sd_json_dispatch_uint32(name, variant, flags, userdata);
}

/* In one go, as there may be as many as a command line has; sd_json_dispatch_strv(3) counts those
 * it has before each. */
static int dispatch_words(const char *name, sd_json_variant *variant,
                          sd_json_dispatch_flags_t flags, void *userdata)
{
    const size_t n = sd_json_variant_is_null(variant) ? 0 : sd_json_variant_elements(variant);
    _cleanup_strv_ char **words = calloc(n + 1, sizeof *words);
    char ***field = userdata;

    (void)name;
    (void)flags;
    if (!words)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        sd_json_variant *word = sd_json_variant_by_index(variant, i);

        if (!sd_json_variant_is_string(word))
            return -EINVAL;
        words[i] = strdup(sd_json_variant_string(word));
        if (!words[i])
            return -ENOMEM;
    }
    cleanup_strvp(field);
    *field = steal_ptr(words);
    return 0;
}

static int dispatch_streams(const char *name, sd_json_variant *variant,
                            sd_json_dispatch_flags_t flags, void *userdata)
{
    struct request *request = userdata;
    const size_t n = sd_json_variant_is_null(variant) ? 0 : sd_json_variant_elements(variant);

    (void)name;
    (void)flags;
    if (n != 0 && n != 3)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        sd_json_variant *index = sd_json_variant_by_index(variant, i);

        if (!sd_json_variant_is_unsigned(index) || sd_json_variant_unsigned(index) >= REQUEST_NO_FD)
            return -EINVAL;
        request->streams[i] = (uint32_t)sd_json_variant_unsigned(index);
    }
    request->n_streams = n;
    return 0;
}

#define FIELD(name, type, how, field)                                                              \
    { name, type, how, offsetof(struct request, field), SD_JSON_NULLABLE }

const sd_json_dispatch_field request_fields[] = {
    FIELD("sandbox", SD_JSON_VARIANT_STRING, sd_json_dispatch_const_string, sandbox),
    FIELD("command", SD_JSON_VARIANT_ARRAY, dispatch_words, command),
    FIELD("directory", SD_JSON_VARIANT_STRING, sd_json_dispatch_const_string, directory),
    FIELD("environment", SD_JSON_VARIANT_ARRAY, dispatch_words, environment),
    FIELD("terminal", SD_JSON_VARIANT_UNSIGNED, dispatch_index, terminal),
    { "streams", SD_JSON_VARIANT_ARRAY, dispatch_streams, 0, SD_JSON_NULLABLE },
    FIELD("timeoutUSec", SD_JSON_VARIANT_UNSIGNED, request_dispatch_number, timeout_usec),
    FIELD("reap", SD_JSON_VARIANT_BOOLEAN, request_dispatch_flag, reap),
    { 0 },
};

void request_done(struct request *request)
{
    cleanup_strvp(&request->command);
    cleanup_strvp(&request->environment);
    *request = REQUEST_INIT;
}

__attribute__((format(printf, 4, 5))) static int
refuse(struct request_refusal *refusal, int error, const char *parameter, const char *format, ...)
{
    va_list arguments;

    refusal->parameter = parameter;
    va_start(arguments, format);
    (void)vsnprintf(refusal->why, sizeof refusal->why, format, arguments);
    va_end(arguments);
    return error;
}

static int check_command(const struct request *request, struct request_refusal *refusal)
{
    size_t total = 0;

    if (!request->command || !request->command[0])
        return 0;
    if (!*request->command[0])
        return refuse(refusal, -EINVAL, "command", "has no name to begin with");
    for (char **word = request->command; *word; word++) {
        const size_t n = strlen(*word) + 1;

        total += n;
        if (n > REQUEST_STRING_MAX || total > REQUEST_TOTAL_MAX)
            return refuse(refusal, -EINVAL, "command", "is longer than a command line can be");
    }
    return 0;
}

/* As it is written; where it leads is the business of whoever follows it, who is the sandbox. */
static int check_directory(const struct request *request, const struct config_sandbox *sandbox,
                           struct request_refusal *refusal)
{
    static const char home[] = STATE_HOME_DIR "/";
    const size_t name = strlen(sandbox->name);
    const char *directory = request->directory, *below = directory;

    if (!directory)
        return 0;
    if (strlen(directory) >= 4096)
        return refuse(refusal, -EINVAL, "directory", "is longer than a path can be");
    for (const char *p = directory; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return refuse(refusal, -EINVAL, "directory", "has a control character in it");
    if (*directory == '/') {
        if (strncmp(directory, home, sizeof home - 1) != 0 ||
            strncmp(directory + sizeof home - 1, sandbox->name, name) != 0)
            return refuse(refusal, -EINVAL, "directory", "is not below the home, %s%s", home,
                          sandbox->name);
        below = directory + sizeof home - 1 + name;
        if (*below != '/' && *below != '\0')
            return refuse(refusal, -EINVAL, "directory", "is not below the home, %s%s", home,
                          sandbox->name);
    }
    while (*below) {
        const size_t n = strcspn(below, "/");

        if (n == 2 && below[0] == '.' && below[1] == '.')
            return refuse(refusal, -EINVAL, "directory", "has a .. in it; write it without");
        below += n + (below[n] == '/');
    }
    return 0;
}

bool request_is_of_terminal(const char *assignment)
{
    static const char *const names[] = { "TERM=", "COLORTERM=", "NO_COLOR=" };
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);

        if (strncmp(assignment, names[i], n) == 0)
            return assignment[n + strspn(assignment + n, plain)] == '\0';
    }
    return false;
}

static bool matches(char *const *patterns, const char *name)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return true;
    return false;
}

static int check_variable(const char *assignment, const struct config *config,
                          const struct config_sandbox *sandbox, struct request_refusal *refusal)
{
    const char *equals = strchr(assignment, '='), *why;
    char name[128];

    if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof name)
        return refuse(refusal, -EINVAL, "environment", "has something that is not NAME=VALUE");
    if (request_is_of_terminal(assignment))
        return 0;
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = '\0';

    why = config_refused_variable(name);
    if (why && strchr(why, ';')) /* it is no name, and is not repeated */
        return refuse(refusal, -EINVAL, "environment", "has something that %s", why);
    if (why)
        return refuse(refusal, -EACCES, "environment", "has %s, which %s", name, why);
    if (matches(config->run0.deny_env, name))
        return refuse(refusal, -EACCES, "environment", "has %s, which deny-env denies", name);
    if (!matches(sandbox->allow_env, name))
        return refuse(refusal, -EACCES, "environment",
                      "has %s, which is not among allow-env of sandbox \"%s\"", name,
                      sandbox->name);
    return 0;
}

static int check_environment(const struct request *request, const struct config *config,
                             const struct config_sandbox *sandbox, struct request_refusal *refusal)
{
    size_t total = 0;
    int r;

    for (char **e = request->environment; e && *e; e++) {
        const size_t n = strlen(*e) + 1;

        total += n;
        if (n > REQUEST_STRING_MAX || total > REQUEST_TOTAL_MAX)
            return refuse(refusal, -EINVAL, "environment", "is longer than it can be");
        r = check_variable(*e, config, sandbox, refusal);
        if (r < 0)
            return r;
    }
    return 0;
}

int request_check(const struct request *request, const struct config *config,
                  const struct config_sandbox *sandbox, struct request_refusal *refusal)
{
    int r;

    if ((request->terminal != REQUEST_NO_FD) == (request->n_streams == 3))
        return refuse(refusal, -EINVAL, "streams", "or terminal must be given, and not both");
    if (request->timeout_usec > REQUEST_TIMEOUT_MAX_USEC)
        return refuse(refusal, -EINVAL, "timeoutUSec", "is more than ten years");
    if ((r = check_command(request, refusal)) < 0 ||
        (r = check_directory(request, sandbox, refusal)) < 0)
        return r;
    return check_environment(request, config, sandbox, refusal);
}
