/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* An entry of the journal about a denial, as sandboxctl shows it; pam-sandbox-denials(8) names the
 * fields. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <systemd/sd-journal.h>

enum denials_field {
    FIELD_SANDBOX,
    FIELD_SANDBOX_UID,
    FIELD_PROGRAM,
    FIELD_WHAT,
    FIELD_RULE,
    FIELD_REALTIME_USEC,
    FIELD_UID,
    FIELD_PID,
    FIELD_COMM,
    FIELD_OBJECT_KIND,
    FIELD_OBJECT,
    FIELD_OBJECT_PATH,
    FIELD_OBJECT_UID,
    FIELD_OBJECT_PID,
    FIELD_OBJECT_DEVICE,
    FIELD_OBJECT_INODE,
    FIELD_DETAIL,
    FIELD_DROPPED,
    FIELD_MESSAGE,
    N_FIELDS,
};

struct denials_entry {
    uint64_t realtime_usec; /* when it was logged */
    char *fields[N_FIELDS]; /* printable ASCII; NULL: the entry has none */
};

/* Reads the entry that the journal stands at. Returns 0 or a negative errno. */
int denials_entry_read(sd_journal *journal, struct denials_entry *ret);
/* Reads what denials_print_json() wrote. Returns 0, -EINVAL when it is nothing of the kind, or
 * another negative errno. */
int denials_entry_parse(const char *line, struct denials_entry *ret);
void denials_entry_done(struct denials_entry *entry);

/* A line for people, and the one above all of them. */
void denials_print_header(FILE *out);
void denials_print(const struct denials_entry *entry, FILE *out);

/* A line that is one JSON object. Returns 0 or a negative errno. */
int denials_print_json(const struct denials_entry *entry, FILE *out);

/* Sets a field from bytes of any kind. Returns 0 or -ENOMEM. */
int denials_entry_set(struct denials_entry *entry, enum denials_field field, const char *bytes,
                      size_t size);

/* Whether the journal's field of that name is one of those above. */
bool denials_field_is_read(const char *name, size_t length);

#define _cleanup_denials_entry_ __attribute__((cleanup(denials_entry_done)))
