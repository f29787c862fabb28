/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/log-entry.h"

#include "conf/cleanup.h"
#include "sandboxctl/format.h"

#include <inttypes.h>
#include <string.h>
#include <systemd/sd-json.h>

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define NORMAL "\033[0m"

static const struct {
    const char *word, *color;
} outcomes[N_LOG_OUTCOMES] = {
    [LOG_PASSED] = { "passed", NULL },
    [LOG_REFUSED] = { "refused", RED },
    [LOG_FAILED] = { "failed", YELLOW },
    [LOG_LOST] = { "lost", YELLOW },
};

static int take_string(sd_json_variant *object, const char *name, char **ret)
{
    sd_json_variant *field = sd_json_variant_by_key(object, name);
    const char *text =
        field && sd_json_variant_is_string(field) ? sd_json_variant_string(field) : "";

    *ret = strdup(text);
    if (!*ret)
        return -ENOMEM;
    for (char *c = *ret; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return 0;
}

static uint64_t number(sd_json_variant *object, const char *name)
{
    sd_json_variant *field = sd_json_variant_by_key(object, name);

    return field && sd_json_variant_is_unsigned(field) ? sd_json_variant_unsigned(field) : 0;
}

static int take_strings(sd_json_variant *object, struct log_entry *entry)
{
    const struct {
        const char *name;
        char **field;
    } strings[] = {
        { "time", &entry->time },     { "sandbox", &entry->sandbox }, { "method", &entry->method },
        { "host", &entry->host },     { "path", &entry->path },       { "rule", &entry->rule },
        { "reason", &entry->reason }, { "detail", &entry->detail },
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < sizeof(strings) / sizeof(strings[0]); i++)
        r = take_string(object, strings[i].name, strings[i].field);
    return r;
}

int log_entry_parse(const char *line, struct log_entry *ret)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *object = NULL;
    _cleanup_(log_entry_done) struct log_entry entry = {};
    _cleanup_free_ char *decision = NULL;

    int r = sd_json_parse(line, 0, &object, NULL, NULL);
    if (r == -ENOMEM)
        return r;
    if (r < 0 || !sd_json_variant_is_object(object))
        return -EINVAL;
    r = take_strings(object, &entry);
    if (r == 0)
        r = take_string(object, "decision", &decision);
    if (r < 0)
        return r;

    entry.lost = number(object, "lost");
    entry.port = number(object, "port");
    entry.status = number(object, "status");
    entry.sent = number(object, "sent");
    entry.received = number(object, "received");
    entry.usec = number(object, "usec");
    entry.outcome = entry.lost > 0                     ? LOG_LOST
                    : strcmp(decision, "allowed") != 0 ? LOG_REFUSED
                    : *entry.reason                    ? LOG_FAILED
                                                       : LOG_PASSED;
    if (!*entry.time || (entry.outcome != LOG_LOST && !*decision))
        return -EINVAL;
    *ret = entry;
    entry = (struct log_entry){};
    return 0;
}

void log_entry_done(struct log_entry *entry)
{
    free(entry->time);
    free(entry->sandbox);
    free(entry->method);
    free(entry->host);
    free(entry->path);
    free(entry->rule);
    free(entry->reason);
    free(entry->detail);
    *entry = (struct log_entry){};
}

static void print_request(const struct log_entry *entry, FILE *out)
{
    char sent[FORMAT_SIZE], received[FORMAT_SIZE];

    fprintf(out, " %s %s", *entry->method ? entry->method : "-", *entry->host ? entry->host : "-");
    if (entry->port != 0 && entry->port != 80 && entry->port != 443)
        fprintf(out, ":%" PRIu64, entry->port);
    fputs(entry->path, out);
    if (entry->status > 0)
        fprintf(out, " %" PRIu64, entry->status);
    fprintf(out, " %" PRIu64 "ms %s+%s", entry->usec / 1000, format_bytes(sent, entry->sent),
            format_bytes(received, entry->received));
    if (entry->outcome == LOG_PASSED)
        fprintf(out, " (%s)", entry->rule);
    else
        fprintf(out, " (%s)%s%s", entry->reason, *entry->detail ? " " : "", entry->detail);
}

void log_entry_print(const struct log_entry *entry, bool color, FILE *out)
{
    const char *paint = color ? outcomes[entry->outcome].color : NULL;

    fprintf(out, "%s%.19s %s %s", paint ?: "", entry->time, entry->sandbox,
            outcomes[entry->outcome].word);
    if (entry->outcome == LOG_LOST)
        fprintf(out, " %" PRIu64 " records before this one", entry->lost);
    else
        print_request(entry, out);
    fprintf(out, "%s\n", paint ? NORMAL : "");
}
