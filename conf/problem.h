/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the reader's own files report what is wrong: reasons travel up from the rule that found
 * them, and become problems where file and line are known. Private to conf/. */

#include <stdarg.h>

#include "conf/config.h"

/* What is wrong with one value and what would be right. */
struct reason {
    char text[384];
};

/* Fills the reason in; returns -EINVAL, so that a rule can end with it. */
int refuse(struct reason *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct problems {
    config_problem_t report;
    void *userdata;
    size_t count;
    bool out_of_memory;
};

void problem(struct problems *problems, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void problem_v(struct problems *problems, const char *file, unsigned line, const char *format,
               va_list arguments) __attribute__((format(printf, 4, 0)));

/* 0, -EINVAL or -ENOMEM: what a loader returns after all it could do. */
int problems_result(const struct problems *problems);
