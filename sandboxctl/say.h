/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How sandboxctl speaks to people: errors to stderr, "sandboxctl: what on what: why; what to do".
 */

#include <stdbool.h>

/* Prints the message and, unless error is 0, what errno value (or its negative) it stands for.
 * Returns EXIT_FAILURE, for "return say_error(…)". */
__attribute__((format(printf, 2, 3))) int say_error(int error, const char *format, ...);

/* A config_problem_t: prints FILE:LINE: MESSAGE to stderr. */
void say_problem(const char *file, unsigned line, const char *message, void *userdata);

/* A users_report_t: prints an error that is a whole message already. */
void say_message(const char *message, void *userdata);

/* What long work is at, to stderr: a line that the next one replaces, while stderr is a terminal;
 * nothing elsewhere. say_progress_end() takes it away. */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format, ...);
void say_progress_end(void);

/* Whether colour and progress lines are welcome there. */
bool say_is_terminal(int fd);
