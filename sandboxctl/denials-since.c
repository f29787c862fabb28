/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/denials-since.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define USEC_PER_SEC UINT64_C(1000000)

static const struct {
    const char *name;
    uint64_t seconds;
} units[] = {
    { "s", 1 },         { "sec", 1 },          { "second", 1 },
    { "seconds", 1 },   { "m", 60 },           { "min", 60 },
    { "minute", 60 },   { "minutes", 60 },     { "h", 3600 },
    { "hr", 3600 },     { "hour", 3600 },      { "hours", 3600 },
    { "d", 86400 },     { "day", 86400 },      { "days", 86400 },
    { "w", 7 * 86400 }, { "week", 7 * 86400 }, { "weeks", 7 * 86400 },
};

static const char *skip_blanks(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static uint64_t unit_seconds(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, name, length) == 0)
            return units[i].seconds;
    return 0;
}

/* "1h 30min", up to the end or to "ago". Nothing else begins with a number and a unit. */
static int parse_span(const char *text, uint64_t *ret)
{
    const char *p = skip_blanks(text);
    uint64_t sum = 0;

    if (!isdigit((unsigned char)*p))
        return -EINVAL;
    while (isdigit((unsigned char)*p)) {
        uint64_t number = 0, seconds;

        for (; isdigit((unsigned char)*p); p++)
            if (__builtin_mul_overflow(number, 10, &number) ||
                __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
                return -EINVAL;
        p = skip_blanks(p);
        size_t length = strspn(p, "abcdefghijklmnopqrstuvwxyz");
        seconds = unit_seconds(p, length);
        if (seconds == 0 || __builtin_mul_overflow(number, seconds * USEC_PER_SEC, &number) ||
            __builtin_add_overflow(sum, number, &sum))
            return -EINVAL;
        p = skip_blanks(p + length);
    }
    if (*p != '\0' && strcmp(p, "ago") != 0)
        return -EINVAL;
    *ret = sum;
    return 0;
}

/* mktime(3) takes the 31st of February for the 3rd of March. */
static int from_tm(struct tm tm, bool utc, uint64_t *ret)
{
    const int month = tm.tm_mon;

    tm.tm_isdst = -1;
    time_t seconds = utc ? timegm(&tm) : mktime(&tm);
    if (seconds < 0 || tm.tm_mon != month)
        return -EINVAL;
    *ret = (uint64_t)seconds * USEC_PER_SEC;
    return 0;
}

static int from_midnight(uint64_t now_usec, int days, uint64_t *ret)
{
    const time_t now = (time_t)(now_usec / USEC_PER_SEC);
    struct tm tm;

    if (!localtime_r(&now, &tm))
        return -EINVAL;
    /* By the calendar, as a day may have 23 hours; mktime(3) knows what day 0 of a month is. */
    tm.tm_mday -= days;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    time_t seconds = mktime(&tm);
    if (seconds < 0)
        return -EINVAL;
    *ret = (uint64_t)seconds * USEC_PER_SEC;
    return 0;
}

/* Exactly so many digits. */
static const char *parse_digits(const char *p, int n, int min, int max, int *ret)
{
    int value = 0;

    for (int i = 0; p && i < n; i++, p++) {
        if (!isdigit((unsigned char)*p))
            return NULL;
        value = value * 10 + (*p - '0');
    }
    *ret = value;
    return p && value >= min && value <= max ? p : NULL;
}

static const char *parse_character(const char *p, char c)
{
    return p && *p == c ? p + 1 : NULL;
}

static const char *parse_date(const char *p, struct tm *tm)
{
    p = parse_digits(p, 4, 1970, 9999, &tm->tm_year);
    p = parse_character(p, '-');
    p = parse_digits(p, 2, 1, 12, &tm->tm_mon);
    p = parse_character(p, '-');
    p = parse_digits(p, 2, 1, 31, &tm->tm_mday);
    tm->tm_year -= 1900;
    tm->tm_mon -= 1;
    return p;
}

/* "12:00", "12:00:30", "12:00:30.25": of the fraction six digits count. */
static const char *parse_clock(const char *p, struct tm *tm, uint64_t *usec)
{
    p = parse_digits(p, 2, 0, 23, &tm->tm_hour);
    p = parse_character(p, ':');
    p = parse_digits(p, 2, 0, 59, &tm->tm_min);
    if (!p || *p != ':')
        return p;
    p = parse_digits(p + 1, 2, 0, 59, &tm->tm_sec);
    if (!p || *p != '.')
        return p;
    if (!isdigit((unsigned char)*++p))
        return NULL;
    for (uint64_t unit = USEC_PER_SEC / 10; isdigit((unsigned char)*p); p++, unit /= 10)
        *usec += (uint64_t)(*p - '0') * unit;
    return p;
}

/* "", " UTC", "Z", "+01:00": whether it is not local, and how far east of UTC in seconds. */
static int parse_zone(const char *p, bool *utc, int *east)
{
    int hours, minutes;

    *utc = *p != '\0';
    *east = 0;
    if (*p == '\0' || strcmp(p, "Z") == 0 || strcmp(p, " UTC") == 0)
        return 0;
    const int sign = *p == '-' ? -1 : 1;
    if (*p != '+' && *p != '-')
        return -EINVAL;
    p = parse_digits(p + 1, 2, 0, 23, &hours);
    p = parse_character(p, ':');
    p = parse_digits(p, 2, 0, 59, &minutes);
    if (!p || *p != '\0')
        return -EINVAL;
    *east = sign * (hours * 3600 + minutes * 60);
    return 0;
}

static int parse_moment(const char *text, uint64_t now_usec, uint64_t *ret)
{
    const time_t now = (time_t)(now_usec / USEC_PER_SEC);
    uint64_t usec = 0;
    const char *p = text;
    struct tm tm = { 0 };
    bool utc;
    int east;

    if (text[strspn(text, "0123456789")] == ':') {
        if (!localtime_r(&now, &tm))
            return -EINVAL;
        tm.tm_sec = 0;
        p = parse_clock(p, &tm, &usec);
        if (!p || *p != '\0')
            return -EINVAL;
    } else {
        p = parse_date(p, &tm);
        if (p && (*p == 'T' || (*p == ' ' && isdigit((unsigned char)p[1]))))
            p = parse_clock(p + 1, &tm, &usec);
        if (!p)
            return -EINVAL;
    }
    int r = parse_zone(p, &utc, &east);
    if (r >= 0)
        r = from_tm(tm, utc, ret);
    if (r < 0)
        return r;
    if (east > 0 && *ret < (uint64_t)east * USEC_PER_SEC)
        return -EINVAL;
    *ret = *ret - (uint64_t)((int64_t)east * (int64_t)USEC_PER_SEC) + usec;
    return 0;
}

static int parse_seconds(const char *text, uint64_t *ret)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return -EINVAL;
    errno = 0;
    unsigned long long seconds = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || __builtin_mul_overflow(seconds, USEC_PER_SEC, ret))
        return -EINVAL;
    return 0;
}

int denials_since_parse(const char *text, uint64_t now_usec, uint64_t *ret)
{
    uint64_t span;

    if (strcmp(text, "now") == 0) {
        *ret = now_usec;
        return 0;
    }
    if (strcmp(text, "today") == 0)
        return from_midnight(now_usec, 0, ret);
    if (strcmp(text, "yesterday") == 0)
        return from_midnight(now_usec, 1, ret);
    if (*text == '@')
        return parse_seconds(text + 1, ret);
    /* "-5min" as journalctl(1) takes it. */
    if (parse_span(*text == '-' ? text + 1 : text, &span) == 0) {
        *ret = span < now_usec ? now_usec - span : 0;
        return 0;
    }
    return parse_moment(text, now_usec, ret);
}
