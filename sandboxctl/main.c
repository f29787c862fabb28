/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl: finds the verb and hands over. Those that enter a sandbox are done here, as a job has
 * one for each of its steps; the others need more libraries than all the rest of such a step's time
 * goes to, and are another program's, verbs-main.c. */
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");

    if (argc < 2) {
        verbs_print_help(stderr);
        return EXIT_USAGE;
    }
    if (is_help(argv[1])) {
        verbs_print_help(stdout);
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("sandboxctl " PACKAGE_VERSION);
        return EXIT_SUCCESS;
    }

    const struct verb *verb = verb_find(argv[1]);
    if (!verb) {
        fprintf(stderr, "sandboxctl: unknown %s \"%s\"; see sandboxctl --help\n",
                argv[1][0] == '-' ? "option" : "verb", argv[1]);
        return EXIT_USAGE;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) {
            verb_print_help(verb, stdout);
            return EXIT_SUCCESS;
        }

    if (strcmp(verb->name, "exec") == 0)
        return verb_exec(argc - 1, argv + 1);
    if (strcmp(verb->name, "shell") == 0)
        return verb_shell(argc - 1, argv + 1);
    execv(PKGLIBEXECDIR "/verbs", argv);
    say_error(errno, "cannot execute " PKGLIBEXECDIR "/verbs");
    return EXIT_USAGE;
}
