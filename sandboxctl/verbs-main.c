/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verbs of sandboxctl that enter no sandbox; started by it. */
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} table[] = {
    { "apply", verb_apply },   { "check", verb_check },   { "denials", verb_denials },
    { "egress", verb_egress }, { "log", verb_log },       { "reap", verb_reap },
    { "show", verb_show },     { "status", verb_status },
};

/* What was said and did not arrive makes a good end a bad one. */
static int end_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    say_error(0, "standard output could not be written to");
    return status == EXIT_SUCCESS ? EXIT_USAGE : status;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(argv[1], table[i].name) == 0)
            return end_output(table[i].run(argc - 1, argv + 1));
    fputs("This is a part of sandboxctl, which starts it; see sandboxctl --help.\n", stderr);
    return EXIT_USAGE;
}
