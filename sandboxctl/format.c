/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/format.h"

#include "sandboxctl/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

char *format_bytes(char buffer[static FORMAT_SIZE], uint64_t bytes)
{
    static const char units[] = "BKMGTPE";
    uint64_t unit = 1;
    size_t i = 0;

    while (bytes / unit >= 1024) {
        unit *= 1024;
        i++;
    }
    uint64_t tenths = bytes % unit * 10 / unit;
    if (tenths > 0)
        snprintf(buffer, FORMAT_SIZE, "%" PRIu64 ".%" PRIu64 "%c", bytes / unit, tenths, units[i]);
    else
        snprintf(buffer, FORMAT_SIZE, "%" PRIu64 "%c", bytes / unit, units[i]);
    return buffer;
}

static char *format_pair(char buffer[static FORMAT_SIZE], uint64_t used, const char *used_text,
                         uint64_t max, const char *max_text)
{
    if (used == STATUS_UNKNOWN)
        used_text = "-";
    if (max == CONFIG_UNLIMITED)
        snprintf(buffer, FORMAT_SIZE, "%.24s", used_text);
    else
        snprintf(buffer, FORMAT_SIZE, "%.24s/%.24s", used_text, max_text);
    return buffer;
}

char *format_count(char buffer[static FORMAT_SIZE], uint64_t used, uint64_t max)
{
    char used_text[FORMAT_SIZE], max_text[FORMAT_SIZE];

    snprintf(used_text, sizeof(used_text), "%" PRIu64, used);
    snprintf(max_text, sizeof(max_text), "%" PRIu64, max);
    return format_pair(buffer, used, used_text, max, max_text);
}

char *format_memory(char buffer[static FORMAT_SIZE], uint64_t used, uint64_t max)
{
    char used_text[FORMAT_SIZE], max_text[FORMAT_SIZE];

    return format_pair(buffer, used, format_bytes(used_text, used), max,
                       format_bytes(max_text, max));
}

char *format_time(char buffer[static FORMAT_SIZE], uint64_t realtime_usec)
{
    time_t seconds = (time_t)(realtime_usec / 1000000);
    struct tm tm;

    if (!localtime_r(&seconds, &tm) ||
        strftime(buffer, FORMAT_SIZE, "%Y-%m-%d %H:%M:%S %Z", &tm) == 0)
        snprintf(buffer, FORMAT_SIZE, "-");
    return buffer;
}
