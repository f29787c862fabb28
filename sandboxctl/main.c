/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl: finds the verb and hands over. */
#include "sandboxctl/verbs.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

    return verb->run(argc - 1, argv + 1);
}
