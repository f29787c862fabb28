/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What becomes the session's input, output and errors: the caller's own descriptors where the door
 * lets them in, else pipes, or a pseudoterminal, that are copied to and from. */

#include "sandboxctl/exec-pump.h"

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct exec_streams {
    int passed[3]; /* -1 behind the first for a terminal */
    bool is_terminal;
    int terminal; /* the near end */
    struct pump pumps[3];
    size_t n_pumps;
    size_t first_output; /* among the pumps */
    int over;
    bool is_raw;
    struct termios before;
};

/* input: a descriptor in place of standard input, or -1. Returns 0, or a negative errno after a
 * message. */
int exec_streams_open(struct exec_streams *streams, int input);

/* Once the door has them: lets go of what is passed, and begins to copy. */
int exec_streams_start(struct exec_streams *streams);

/* The window has another size. */
void exec_streams_resize(struct exec_streams *streams);

/* When the session is over: copies what it has said, and puts the caller's terminal back. */
void exec_streams_close(struct exec_streams *streams);
