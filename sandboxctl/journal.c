/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/journal.h"

#include "conf/cleanup.h"

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

void journal_print_unit(const char *unit, uint64_t since_usec)
{
    _cleanup_(sd_journal_closep) sd_journal *journal = NULL;
    _cleanup_free_ char *match = NULL;

    synchronize();
    if (sd_journal_open(&journal, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM) < 0 ||
        asprintf(&match, "_SYSTEMD_UNIT=%s", unit) < 0 ||
        sd_journal_add_match(journal, match, 0) < 0 ||
        sd_journal_seek_realtime_usec(journal, since_usec) < 0)
        return;

    for (int i = 0; i < MAX_LINES && sd_journal_next(journal) > 0; i++) {
        const size_t prefix = strlen("MESSAGE=");
        const void *data;
        size_t size;

        if (sd_journal_get_data(journal, "MESSAGE", &data, &size) >= 0 && size > prefix)
            fprintf(stderr, "  %.*s\n", (int)(size - prefix), (const char *)data + prefix);
    }
}
