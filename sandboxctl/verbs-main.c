/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verbs of sandboxctl that enter no sandbox; started by it. */
#include "sandboxctl/verbs.h"

#include <locale.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} table[] = {
    { "apply", verb_apply },   { "check", verb_check },   { "denials", verb_denials },
    { "egress", verb_egress }, { "log", verb_log },       { "reap", verb_reap },
    { "show", verb_show },     { "status", verb_status },
};

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(argv[1], table[i].name) == 0)
            return table[i].run(argc - 1, argv + 1);
    fputs("This is a part of sandboxctl, which starts it; see sandboxctl --help.\n", stderr);
    return EXIT_USAGE;
}
