/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/users-report.h"

#include "conf/cleanup.h"

#include <stdarg.h>
#include <string.h>

static void say(const struct report *report, int error, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void say(const struct report *report, int error, const char *format, va_list arguments)
{
    _cleanup_free_ char *message = NULL, *whole = NULL;
    if (!report->callback)
        return;
    if (vasprintf(&message, format, arguments) < 0) {
        message = NULL;
        report->callback("out of memory", report->userdata);
        return;
    }
    if (error < 0 && asprintf(&whole, "%s: %s", message, strerrordesc_np(-error)) < 0)
        whole = NULL;
    report->callback(whole ? whole : message, report->userdata);
}

void report_message(const struct report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(report, 0, format, arguments);
    va_end(arguments);
}

void report_errno(const struct report *report, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(report, error, format, arguments);
    va_end(arguments);
}
