/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int say_error(int error, const char *format, ...)
{
    va_list arguments;

    fputs("sandboxctl: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (error != 0)
        fprintf(stderr, ": %s", strerror(abs(error)));
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

void say_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    if (line > 0)
        fprintf(stderr, "%s:%u: %s\n", file, line, message);
    else
        fprintf(stderr, "%s: %s\n", file, message);
}

void say_message(const char *message, void *userdata)
{
    (void)userdata;
    say_error(0, "%s", message);
}

bool say_is_terminal(int fd)
{
    const char *term = getenv("TERM");

    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

void say_progress(const char *format, ...)
{
    va_list arguments;

    if (!say_is_terminal(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void say_progress_end(void)
{
    if (say_is_terminal(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
