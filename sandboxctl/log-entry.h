/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One line of a proxy's log, proxy/log.h, and how people see it. A log is written by a process that
 * speaks with anybody: nothing of it reaches a terminal but printable ASCII. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_outcome {
    LOG_PASSED,
    LOG_REFUSED,
    LOG_FAILED, /* allowed, and nothing came of it */
    LOG_LOST,   /* records that are missing here */
    N_LOG_OUTCOMES,
};

/* Strings belong to the entry, "" where there is nothing. */
struct log_entry {
    enum log_outcome outcome;
    char *time, *sandbox, *method, *host, *path, *rule, *reason, *detail;
    uint64_t port, status, sent, received, usec;
    uint64_t lost; /* of LOG_LOST */
};

/* Returns 0; -EINVAL for what is no such line, as one that a full disk cut; -ENOMEM. */
int log_entry_parse(const char *line, struct log_entry *ret);
void log_entry_done(struct log_entry *entry);

/* A line; refusals and failures in colour. */
void log_entry_print(const struct log_entry *entry, bool color, FILE *out);
