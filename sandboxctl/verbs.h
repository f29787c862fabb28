/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The commands of sandboxctl, as one table: dispatch, --help and option parsing read it, and the
 * tests hold the man page and the shell completion against it. */

#include <stdio.h>

/* Beside EXIT_SUCCESS and EXIT_FAILURE: the command line was wrong, or check could not run. */
#define EXIT_USAGE 2

/* What verb_getopt() returns for an option. */
enum {
    OPTION_DRY_RUN = 256,
    OPTION_BODY,
    OPTION_CHDIR,
    OPTION_FOLLOW,
    OPTION_FORCE,
    OPTION_IN_FORCE,
    OPTION_JSON,
    OPTION_LIST,
    OPTION_ONLY,
    OPTION_REAP,
    OPTION_RECORD,
    OPTION_ROOT,
    OPTION_SANDBOX,
    OPTION_SETENV,
    OPTION_SINCE,
    OPTION_STDIN,
    OPTION_TAP,
    OPTION_TIMEOUT,
    OPTION_TIMING,
    OPTION_WEBSOCKET,
};

struct verb_option {
    const char *name; /* long, without its dashes */
    int value;
    const char *
        argument; /* what help calls its value, "[VALUE]" if it may be left out; NULL: takes none */
    const char *help;
};

struct verb {
    const char *name;
    const char *operands;              /* as help shows them; "": none */
    int max_operands;                  /* -1: any number */
    const char *summary;               /* one line */
    const struct verb_option *options; /* ends with name NULL */
};

/* Ends with name NULL. */
extern const struct verb verbs[];

const struct verb *verb_find(const char *name);

void verbs_print_help(FILE *out);
void verb_print_help(const struct verb *verb, FILE *out);

/* getopt_long(3) over the options that the table gives verb argv[0]: the next option's value, its
 * argument in optarg; -1 after the last, the operands then begin at argv[optind]; '?' after a
 * message on stderr, to be answered with EXIT_USAGE. Too many operands are such an error. */
int verb_getopt(int argc, char **argv);

/* argv[0] is the verb. Each returns the exit status. */
int verb_apply(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_denials(int argc, char **argv);
int verb_egress(int argc, char **argv);
int verb_exec(int argc, char **argv);
int verb_log(int argc, char **argv);
int verb_reap(int argc, char **argv);
int verb_shell(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_status(int argc, char **argv);
