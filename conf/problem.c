/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/problem.h"

#include <errno.h>
#include <stdio.h>

int refuse(struct reason *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

void problem_v(struct problems *problems, const char *file, unsigned line, const char *format,
               va_list arguments)
{
    char message[1024];

    (void)vsnprintf(message, sizeof message, format, arguments);
    problems->count++;
    if (problems->report)
        problems->report(file, line, message, problems->userdata);
}

void problem(struct problems *problems, const char *file, unsigned line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    problem_v(problems, file, line, format, arguments);
    va_end(arguments);
}

int problems_result(const struct problems *problems)
{
    if (problems->out_of_memory)
        return -ENOMEM;
    return problems->count > 0 ? -EINVAL : 0;
}
