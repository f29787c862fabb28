/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From a record of the ring buffer to an entry of the journal. Plain functions without state.
 *
 * Names in a record are chosen by who was denied, and journals are read on terminals. So every name
 * is escaped, in the message as well as in the fields: what is no printable ASCII, and the two
 * characters '"' and '\', is \xNN. Nothing else has a '\', so the bytes can be told from it. */

#include "bpf/denial.h"

#include <stddef.h>
#include <sys/uio.h>

#define DENIAL_ENTRY_FIELDS 24

/* Fields as sd_journal_sendv(3) takes them; they point into the text. */
struct denial_entry {
    struct iovec fields[DENIAL_ENTRY_FIELDS];
    size_t n_fields;
    size_t used;
    char text[16384];
};

/* Takes a record as it came. -EBADMSG: it is not one that the programs of this version write. */
int denial_parse(const void *data, size_t size, struct denial *ret);

#define DENIAL_PATH_SIZE 1024

/* What the record does not say itself; NULL where it is not known. */
struct denial_context {
    __u64 realtime_usec; /* when it was denied: the daemon may have been down */
    const char *sandbox; /* name */
    const char *path; /* where an OBJECT_IN_DEVICE is mounted, at most DENIAL_PATH_SIZE with NUL */
};

/* The entry about a record that was parsed. Returns 0, or -E2BIG, which no record that
 * denial_parse() took leads to. */
int denial_entry_make(const struct denial *denial, const struct denial_context *context,
                      struct denial_entry *ret);

/* The entry about denials that were only counted, and that no later record will tell of. */
int denial_entry_make_rest(__u32 sandbox, const char *name, __u32 count, struct denial_entry *ret);

/* The length of what stands in `bytes`, escaped into `out`, which has room for 4 * length + 1. */
size_t denial_escape(const char *bytes, size_t length, char *out);
