/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What became of each request: one line of JSON in the sandbox's log file, and an entry in the
 * journal. Headers, bodies and query strings are in neither.
 *
 * Promises: nothing here waits, but for the disk, and no request meets an error because of it. What
 * cannot be written is counted, and the count is written before the next record that can be. The
 * file is bounded: at LOG_FILE_MAX bytes it becomes the old one, in place of the old one before.
 * The file has every request; the journal of refusals and failures, and of what passed,
 * LOG_JOURNAL_BURST each in ten seconds, and then how many it did not get.
 *
 * One per process, not for threads. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_FILE_MAX (16U << 20)

#define LOG_JOURNAL_BURST 1000

/* Behind the sandbox's name. */
#define LOG_SUFFIX ".log"
#define LOG_OLD_SUFFIX ".log.1"

struct log;

/* Strings are NULL where there is nothing to say. None needs to be clean: what is not printable
 * ASCII is written as %XX, and what is too long is cut and ends with "...". */
struct log_record {
    uint64_t begin_usec; /* CLOCK_REALTIME at the request's first byte */
    const char *method;
    const char *host;
    uint16_t port;
    const char *path; /* as it was sent, without its query; not terminated */
    size_t path_size;
    bool allowed;       /* by the policy, whatever came of it then */
    const char *rule;   /* that decided, as in struct policy_verdict */
    const char *reason; /* a token, when it was refused or failed: that of X-Egress-Denied */
    const char *detail; /* one line that says more */
    unsigned status;    /* that the client got; 0: none */
    uint64_t sent;      /* bytes of bodies, from the client */
    uint64_t received;  /* to the client */
    uint64_t usec;      /* from the first byte to the last */
};

/* Opens DIRECTORY/SANDBOX.log, mode 0640. A file that cannot be opened is no error: it is told to
 * the journal, and tried again with each record. journal is its socket, LOG_JOURNAL_SOCKET. Returns
 * 0 or -ENOMEM. */
int log_new(const char *directory, const char *sandbox, const char *journal, struct log **ret);
void log_free(struct log *log);

static inline void log_freep(struct log **log)
{
    log_free(*log);
}

void log_write(struct log *log, const struct log_record *record);

/* Records that are missing in the file, and not told there yet. */
uint64_t log_lost(const struct log *log);
