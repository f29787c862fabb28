/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/journal.h"

#include "conf/cleanup.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-varlink.h>

/* What a unit that fails has to say is short; a program that cannot stop is cut off. */
#define MAX_LINES 40

/* journald reads what services print in its own time. This returns once it has read everything
 * that was printed before, systemd-journald.service(8). */
static void synchronize(void)
{
    _cleanup_(sd_varlink_flush_close_unrefp) sd_varlink *link = NULL;
    const char *error;

    if (sd_varlink_connect_address(&link, "/run/systemd/journal/io.systemd.journal") >= 0)
        (void)sd_varlink_call(link, "io.systemd.Journal.Synchronize", NULL, NULL, &error);
}

static bool has_field(sd_journal *journal, const char *field, const char *value)
{
    const void *data;
    size_t size, name = strlen(field) + 1;

    return sd_journal_get_data(journal, field, &data, &size) >= 0 && size == name + strlen(value) &&
           memcmp((const char *)data + name, value, strlen(value)) == 0;
}

/* What the program itself printed, and warnings and errors of the modules it called. */
static bool is_worth_telling(sd_journal *journal)
{
    static const char *const priorities[] = { "0", "1", "2", "3", "4" };

    for (size_t i = 0; i < sizeof(priorities) / sizeof(priorities[0]); i++)
        if (has_field(journal, "PRIORITY", priorities[i]))
            return true;
    return has_field(journal, "_TRANSPORT", "stdout");
}

/* What was logged may have come from anybody, and this may be a terminal. */
static char *copy_message(const char *message, size_t size)
{
    char *copy = strndup(message, size);

    for (char *c = copy; c && *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    return copy;
}

static int add_match(sd_journal *journal, const char *field, const char *value)
{
    _cleanup_free_ char *match = NULL;

    if (asprintf(&match, "%s=%s", field, value) < 0)
        return -ENOMEM;
    return sd_journal_add_match(journal, match, 0);
}

/* By unit; and by name, for root: of a process that has ended before journald looks, it does not
 * know the unit any more. */
static int match_layer(sd_journal *journal, const struct layer *layer)
{
    int r = add_match(journal, "_SYSTEMD_UNIT", layer->unit);
    if (r >= 0)
        r = sd_journal_add_disjunction(journal);
    if (r >= 0)
        r = add_match(journal, "SYSLOG_IDENTIFIER", layer->program);
    if (r >= 0)
        r = add_match(journal, "_UID", "0");
    if (r >= 0 && layer->is_socket)
        r = sd_journal_add_disjunction(journal);
    if (r >= 0 && layer->is_socket)
        r = add_match(journal, "UNIT", layer->unit);
    if (r >= 0 && layer->is_socket)
        r = add_match(journal, "_PID", "1");
    return r;
}

char **journal_of_layer(const struct layer *layer, uint64_t since_usec)
{
    _cleanup_(sd_journal_closep) sd_journal *journal = NULL;
    _cleanup_strv_ char **lines = calloc(MAX_LINES + 1, sizeof(*lines));

    synchronize();
    if (!lines || sd_journal_open(&journal, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM) < 0 ||
        match_layer(journal, layer) < 0 || sd_journal_seek_realtime_usec(journal, since_usec) < 0)
        return NULL;

    for (size_t i = 0; i < MAX_LINES && sd_journal_next(journal) > 0;) {
        const size_t prefix = strlen("MESSAGE=");
        const void *data;
        size_t size;

        if (!is_worth_telling(journal) ||
            sd_journal_get_data(journal, "MESSAGE", &data, &size) < 0 || size <= prefix)
            continue;
        lines[i] = copy_message((const char *)data + prefix, size - prefix);
        if (!lines[i++])
            return NULL;
    }
    return lines[0] ? steal_ptr(lines) : NULL;
}

void journal_print_layer(const struct layer *layer, uint64_t since_usec)
{
    _cleanup_strv_ char **lines = journal_of_layer(layer, since_usec);

    for (char **line = lines; line && *line; line++)
        fprintf(stderr, "  %s\n", *line);
}
