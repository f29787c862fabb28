/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One command, or a shell, in a sandbox, through the door. */

#include <stdbool.h>
#include <stdint.h>

/* What it ends with where the command has nothing to say: as timeout(1) has it. */
#define EXIT_TIMED_OUT 124
#define EXIT_OWN_FAILURE 125

struct exec_command {
    const char *sandbox;   /* NULL: the only one */
    const char *directory; /* NULL: the home */
    const char *input;     /* a file in place of standard input; NULL: none */
    char **environment;    /* NAME=VALUE; NULL: none */
    char **command;        /* empty: a shell */
    uint64_t timeout_usec; /* 0: none */
    bool reap;
};

/* Returns the exit status to end with: the command's, or 128 and its signal, or one of the above
 * after a message. */
int exec_run(const struct exec_command *command);
