/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/denials-entry.h"

#include "conf/cleanup.h"
#include "sandboxctl/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <systemd/sd-json.h>

static const struct {
    const char *journal;
    const char *json;
    bool is_number;
} fields[N_FIELDS] = {
    [FIELD_SANDBOX] = { "SANDBOX", "sandbox" },
    [FIELD_SANDBOX_UID] = { "SANDBOX_UID", "sandboxUid", true },
    [FIELD_PROGRAM] = { "DENIED_PROGRAM", "program" },
    [FIELD_WHAT] = { "DENIED_WHAT", "what" },
    [FIELD_RULE] = { "DENIED_RULE", "rule" },
    [FIELD_REALTIME_USEC] = { "DENIED_REALTIME_USEC", "deniedUSec", true },
    [FIELD_UID] = { "DENIED_UID", "uid", true },
    [FIELD_PID] = { "DENIED_PID", "pid", true },
    [FIELD_COMM] = { "DENIED_COMM", "comm" },
    [FIELD_OBJECT_KIND] = { "DENIED_OBJECT_KIND", "objectKind" },
    [FIELD_OBJECT] = { "DENIED_OBJECT", "object" },
    [FIELD_OBJECT_PATH] = { "DENIED_OBJECT_PATH", "objectPath" },
    [FIELD_OBJECT_UID] = { "DENIED_OBJECT_UID", "objectUid", true },
    [FIELD_OBJECT_PID] = { "DENIED_OBJECT_PID", "objectPid", true },
    [FIELD_OBJECT_DEVICE] = { "DENIED_OBJECT_DEVICE", "objectDevice" },
    [FIELD_OBJECT_INODE] = { "DENIED_OBJECT_INODE", "objectInode", true },
    [FIELD_DETAIL] = { "DENIED_DETAIL", "detail", true },
    [FIELD_DROPPED] = { "DENIED_DROPPED", "dropped", true },
    [FIELD_MESSAGE] = { "MESSAGE", "message" },
};

bool denials_field_is_read(const char *name, size_t length)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (strlen(fields[i].journal) == length && strncmp(fields[i].journal, name, length) == 0)
            return true;
    return false;
}

/* What the daemon writes is printable as it is; whatever else stands there gets no further. */
int denials_entry_set(struct denials_entry *entry, enum denials_field field, const char *bytes,
                      size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return -ENOMEM;
    for (size_t i = 0; i < size; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    text[size] = '\0';
    free(entry->fields[field]);
    entry->fields[field] = text;
    return 0;
}

int denials_entry_read(sd_journal *journal, struct denials_entry *ret)
{
    _cleanup_denials_entry_ struct denials_entry entry = { 0 };
    const void *data;
    size_t size;

    int r = sd_journal_get_realtime_usec(journal, &entry.realtime_usec);
    for (enum denials_field i = 0; r >= 0 && i < N_FIELDS; i++) {
        size_t name = strlen(fields[i].journal) + 1;

        r = sd_journal_get_data(journal, fields[i].journal, &data, &size);
        if (r >= 0 && size >= name)
            r = denials_entry_set(&entry, i, (const char *)data + name, size - name);
        else if (r == -ENOENT)
            r = 0;
    }
    if (r < 0)
        return r;
    *ret = entry;
    entry = (struct denials_entry){ 0 };
    return 0;
}

static int set_from_json(struct denials_entry *entry, enum denials_field i, sd_json_variant *value)
{
    char number[24];

    if (!value)
        return 0;
    if (sd_json_variant_is_string(value))
        return denials_entry_set(entry, i, sd_json_variant_string(value),
                                 strlen(sd_json_variant_string(value)));
    if (!sd_json_variant_is_unsigned(value))
        return sd_json_variant_is_null(value) ? 0 : -EINVAL;
    snprintf(number, sizeof number, "%" PRIu64, sd_json_variant_unsigned(value));
    return denials_entry_set(entry, i, number, strlen(number));
}

int denials_entry_parse(const char *line, struct denials_entry *ret)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *object = NULL;
    _cleanup_denials_entry_ struct denials_entry entry = { 0 };
    sd_json_variant *time;

    int r = sd_json_parse(line, 0, &object, NULL, NULL);
    if (r < 0)
        return r == -ENOMEM ? r : -EINVAL;
    time = sd_json_variant_by_key(object, "timeUSec");
    if (!time || !sd_json_variant_is_unsigned(time))
        return -EINVAL;
    entry.realtime_usec = sd_json_variant_unsigned(time);
    for (enum denials_field i = 0; r >= 0 && i < N_FIELDS; i++)
        r = set_from_json(&entry, i, sd_json_variant_by_key(object, fields[i].json));
    if (r < 0)
        return r;
    *ret = entry;
    entry = (struct denials_entry){ 0 };
    return 0;
}

void denials_entry_done(struct denials_entry *entry)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        free(entry->fields[i]);
    *entry = (struct denials_entry){ 0 };
}

/* Wide enough for what is usual; one that is longer moves its own line only. */
#define LINE "%-23s  %-12s  %-11s  %-22s  "

void denials_print_header(FILE *out)
{
    fprintf(out, LINE "%s\n", "TIME", "SANDBOX", "PROGRAM", "PROCESS", "WAS DENIED");
}

static const char *text_of(const struct denials_entry *entry, enum denials_field field,
                           const char *otherwise)
{
    return entry->fields[field] ? entry->fields[field] : otherwise;
}

static bool parse_number(const char *text, uint64_t *ret)
{
    char *end;

    if (!text || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static void print_object(const struct denials_entry *entry, FILE *out)
{
    const char *kind = text_of(entry, FIELD_OBJECT_KIND, "none");
    const char *object = text_of(entry, FIELD_OBJECT, "");

    if (entry->fields[FIELD_OBJECT_PATH])
        fputs(entry->fields[FIELD_OBJECT_PATH], out);
    else if (strcmp(kind, "device") == 0)
        fprintf(out, "%s%s, device %s", object[0] == '/' ? "" : "...", object,
                text_of(entry, FIELD_OBJECT_DEVICE, "-"));
    else if (strcmp(kind, "abstract") == 0)
        fprintf(out, "@%s", object);
    else if (strcmp(kind, "process") == 0)
        fprintf(out, "%s[%s]", object, text_of(entry, FIELD_OBJECT_PID, "-"));
    else if (strcmp(kind, "none") == 0)
        fputs(text_of(entry, FIELD_WHAT, "-"), out);
    else
        fputs(object, out);
}

void denials_print(const struct denials_entry *entry, FILE *out)
{
    const char *sandbox = text_of(entry, FIELD_SANDBOX, text_of(entry, FIELD_SANDBOX_UID, "-"));
    const char *dropped = text_of(entry, FIELD_DROPPED, "0");
    char when[FORMAT_SIZE], process[128];
    uint64_t usec;

    if (!parse_number(entry->fields[FIELD_REALTIME_USEC], &usec))
        usec = entry->realtime_usec;
    format_time(when, usec);
    if (!entry->fields[FIELD_PROGRAM]) {
        fprintf(out, LINE "%s more, not logged one by one\n", when, sandbox, "-", "-", dropped);
        return;
    }
    snprintf(process, sizeof(process), "%s[%s]", text_of(entry, FIELD_COMM, "-"),
             text_of(entry, FIELD_PID, "-"));
    fprintf(out, LINE, when, sandbox, entry->fields[FIELD_PROGRAM], process);
    print_object(entry, out);
    if (strcmp(dropped, "0") != 0)
        fprintf(out, " (and %s before it, not logged one by one)", dropped);
    fputc('\n', out);
}

static int set_json(sd_json_variant **object, const char *name, const char *text, bool is_number)
{
    uint64_t number;

    if (!is_number)
        return sd_json_variant_set_field_string(object, name, text);
    if (!parse_number(text, &number))
        return sd_json_variant_set_field_string(object, name, NULL);
    return sd_json_variant_set_field_unsigned(object, name, number);
}

int denials_print_json(const struct denials_entry *entry, FILE *out)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *object = NULL;

    int r = sd_json_variant_set_field_unsigned(&object, "timeUSec", entry->realtime_usec);
    for (size_t i = 0; r >= 0 && i < N_FIELDS; i++)
        r = set_json(&object, fields[i].json, entry->fields[i], fields[i].is_number);
    if (r >= 0)
        r = sd_json_variant_dump(object, SD_JSON_FORMAT_NEWLINE, out, NULL);
    return r < 0 ? r : 0;
}
