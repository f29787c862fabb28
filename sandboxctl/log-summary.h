/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What was asked of which host, counted. */

#include "sandboxctl/log-entry.h"

#include <stddef.h>

/* Hosts beyond so many are counted as one: who is confined may ask for any number. */
#define LOG_SUMMARY_HOSTS 10000

struct log_summary_host {
    char *host;
    uint64_t count[N_LOG_OUTCOMES];
    uint64_t sent, received;
};

struct log_summary {
    void *by_name; /* tsearch(3) */
    size_t n_hosts;
    struct log_summary_host others;
    uint64_t lost;
};

/* Returns 0 or -ENOMEM. */
int log_summary_add(struct log_summary *summary, const struct log_entry *entry);
/* Hosts with refusals first, then by how often they were asked. */
int log_summary_print(const struct log_summary *summary, FILE *out);
void log_summary_done(struct log_summary *summary);
