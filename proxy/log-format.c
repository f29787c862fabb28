/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/log-format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-json.h>
#include <time.h>

/* RFC 3339, UTC, microseconds. */
#define TIME_SIZE 32

static const char *format_time(uint64_t usec, char buffer[static TIME_SIZE])
{
    const time_t seconds = (time_t)(usec / 1000000);
    struct tm tm;

    if (!gmtime_r(&seconds, &tm))
        tm = (struct tm){ .tm_mday = 1, .tm_year = 70 };
    size_t used = strftime(buffer, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(buffer + used, TIME_SIZE - used, ".%06" PRIu64 "Z", usec % 1000000);
    return buffer;
}

/* Appends text to line, in printable ASCII; false: there is no more room. */
static bool append(char *line, size_t size, size_t *used, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool plain = c >= ' ' && c <= '~';

        if (size - *used <= (plain ? 1 : 3))
            return false;
        if (plain)
            line[(*used)++] = (char)c;
        else
            *used += (size_t)snprintf(line + *used, size - *used, "%%%02X", c);
    }
    line[*used] = '\0';
    return true;
}

#define CUT "..."

struct clean {
    char text[LOG_TEXT_MAX];
};

/* The text as it may be shown anywhere; NULL stays NULL. */
static const char *clean(struct clean *buffer, const char *text, size_t n)
{
    size_t used = 0;

    if (!text)
        return NULL;
    buffer->text[0] = '\0';
    if (!append(buffer->text, sizeof buffer->text - strlen(CUT), &used, text, n))
        strcpy(buffer->text + used, CUT);
    return buffer->text;
}

static const char *clean_string(struct clean *buffer, const char *text)
{
    return clean(buffer, text, text ? strlen(text) : 0);
}

#define STRING_IF(name, text)                                                                      \
    SD_JSON_BUILD_PAIR_CONDITION(!!(text), name, SD_JSON_BUILD_STRING(text))
#define NUMBER_IF(name, number)                                                                    \
    SD_JSON_BUILD_PAIR_CONDITION((number) > 0, name, SD_JSON_BUILD_UNSIGNED(number))

static int to_line(sd_json_variant *object, char **ret)
{
    int r = sd_json_variant_format(object, 0, ret);

    sd_json_variant_unref(object);
    return r < 0 ? r : 0;
}

int log_format_json(const char *sandbox, const struct log_record *record, char **ret)
{
    struct clean method, host, path, rule, reason, detail;
    char time[TIME_SIZE];
    sd_json_variant *object = NULL;
    int r;

    r = sd_json_buildo(
        &object, SD_JSON_BUILD_PAIR_STRING("time", format_time(record->begin_usec, time)),
        SD_JSON_BUILD_PAIR_STRING("sandbox", sandbox),
        STRING_IF("method", clean_string(&method, record->method)),
        STRING_IF("host", clean_string(&host, record->host)), NUMBER_IF("port", record->port),
        STRING_IF("path", clean(&path, record->path, record->path_size)),
        SD_JSON_BUILD_PAIR_STRING("decision", record->allowed ? "allowed" : "refused"),
        STRING_IF("rule", clean_string(&rule, record->rule)),
        STRING_IF("reason", clean_string(&reason, record->reason)),
        STRING_IF("detail", clean_string(&detail, record->detail)),
        NUMBER_IF("status", record->status), SD_JSON_BUILD_PAIR_UNSIGNED("sent", record->sent),
        SD_JSON_BUILD_PAIR_UNSIGNED("received", record->received),
        SD_JSON_BUILD_PAIR_UNSIGNED("usec", record->usec));
    return r < 0 ? r : to_line(object, ret);
}

int log_format_lost(const char *sandbox, uint64_t now_usec, uint64_t lost, char **ret)
{
    sd_json_variant *object = NULL;
    char time[TIME_SIZE];
    int r;

    r = sd_json_buildo(&object, SD_JSON_BUILD_PAIR_STRING("time", format_time(now_usec, time)),
                       SD_JSON_BUILD_PAIR_STRING("sandbox", sandbox),
                       SD_JSON_BUILD_PAIR_UNSIGNED("lost", lost));
    return r < 0 ? r : to_line(object, ret);
}

void log_format_text(const struct log_record *record, char *buffer, size_t size)
{
    struct clean method, host, path, reason;
    const char *what = !record->allowed ? "refused" : record->reason ? "failed" : "passed";
    char port[8] = "";

    (void)clean_string(&method, record->method ? record->method : "-");
    (void)clean_string(&host, record->host ? record->host : "-");
    (void)clean(&path, record->path ? record->path : "", record->path_size);
    (void)clean_string(&reason, record->reason);
    if (record->port != 0 && record->port != 80 && record->port != 443)
        (void)snprintf(port, sizeof port, ":%u", record->port);
    (void)snprintf(buffer, size, "%s %s %s%s%s%s%s", what, method.text, host.text, port, path.text,
                   record->reason ? ": " : "", record->reason ? reason.text : "");
}

int log_format_field(const char *name, const char *text, char **ret)
{
    struct clean buffer;

    *ret = NULL;
    return text && asprintf(ret, "%s=%s", name, clean_string(&buffer, text)) < 0 ? -ENOMEM : 0;
}
