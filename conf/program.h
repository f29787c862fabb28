/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The command line of a program that a unit starts and that takes no argument: --help, which prints
 * help and a newline, and --version. Returns the exit status of a program that is done with that,
 * or -1 for one that is to do its work. */
int program_options(int argc, char **argv, const char *help);
