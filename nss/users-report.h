/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the parts of users.c speak to its caller. */

#include "nss/users.h"

struct report {
    users_report_t callback; /* NULL: nobody listens */
    void *userdata;
};

void report_message(const struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The message, ": " and what the negative errno means. */
void report_errno(const struct report *report, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
