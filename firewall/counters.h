/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How many packets the table has seen since it was loaded, by sandbox and by what became of them.
 */

#include <stdint.h>
#include <sys/types.h>

enum counter {
    COUNTER_PROXY,   /* to the sandbox's proxy */
    COUNTER_DIRECT,  /* to a direct endpoint */
    COUNTER_REFUSED, /* nowhere */
    N_COUNTERS,
};

/* As the table names them, with "_UID" behind. */
extern const char *const counter_names[N_COUNTERS];

typedef void (*counter_found_t)(uid_t uid, enum counter counter, uint64_t packets, void *userdata);

/* Calls found() for each counter of the table. Returns 0; -ENOENT when there is no table, or who
 * asks may not know; or another negative errno. */
int counters_read(counter_found_t found, void *userdata);

/* The same of what libnftables says in JSON; -EBADMSG when it is something else. For
 * counters_read() and tests. */
int counters_parse(const char *text, counter_found_t found, void *userdata);
