/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl exec and sandboxctl shell: what their command lines mean. */
#include "sandboxctl/exec-run.h"

#include "conf/cleanup.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>
#include <string.h>

/* Returns 0; -EINVAL. */
static int parse_time(const char *text, uint64_t *ret)
{
    static const struct {
        const char *unit;
        uint64_t seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 24 * 3600 } };
    const size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 9)
        return -EINVAL;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text + digits, units[i].unit) == 0) {
            *ret = strtoull(text, NULL, 10) * units[i].seconds * 1000000;
            return *ret > 0 ? 0 : -EINVAL;
        }
    return -EINVAL;
}

/* NAME=VALUE, or NAME for the caller's own. */
static int add_variable(struct exec_command *command, size_t *n, const char *text)
{
    char **environment = reallocarray(command->environment, *n + 2, sizeof(*environment));
    const char *value = strchr(text, '=') ? "" : getenv(text);
    char *assignment;

    if (!environment)
        return -ENOMEM;
    command->environment = environment;
    environment[*n] = NULL;
    if (!value)
        return say_error(0, "--setenv: you have no variable %s; write %s=VALUE", text, text),
               -EINVAL;
    if (asprintf(&assignment, "%s%s%s", text, strchr(text, '=') ? "" : "=", value) < 0)
        return -ENOMEM;
    environment[(*n)++] = assignment;
    environment[*n] = NULL;
    return 0;
}

static int run(int argc, char **argv, bool is_shell)
{
    struct exec_command command = { 0 };
    size_t n_environment = 0;
    int c, status = EXIT_OWN_FAILURE;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_SANDBOX:
            command.sandbox = optarg;
            break;
        case OPTION_CHDIR:
            command.directory = optarg;
            break;
        case OPTION_STDIN:
            command.input = optarg;
            break;
        case OPTION_SETENV:
            if (add_variable(&command, &n_environment, optarg) < 0)
                goto out;
            break;
        case OPTION_TIMEOUT:
            if (parse_time(optarg, &command.timeout_usec) < 0) {
                say_error(0, "--timeout=%s is no time; write a number of s, min, h or d", optarg);
                goto out;
            }
            break;
        case OPTION_REAP:
            command.reap = true;
            break;
        default:
            goto out;
        }
    command.command = argv + optind;
    if (!is_shell && optind == argc) {
        say_error(0, "exec: no command; write it behind --, or use sandboxctl shell");
        goto out;
    }
    status = exec_run(&command);
out:
    cleanup_strvp(&command.environment);
    return status;
}

int verb_exec(int argc, char **argv)
{
    return run(argc, argv, false);
}

int verb_shell(int argc, char **argv)
{
    return run(argc, argv, true);
}
