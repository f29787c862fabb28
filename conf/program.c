/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/program.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>

int program_options(int argc, char **argv, const char *help)
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 'h':
            puts(help);
            return 0;
        case 'v':
            puts("pam-sandbox " PACKAGE_VERSION);
            return 0;
        default:
            return 2;
        }
    if (optind == argc)
        return -1;
    fprintf(stderr, "%s: takes no arguments; see --help\n", program_invocation_short_name);
    return 2;
}
