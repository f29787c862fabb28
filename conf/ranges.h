/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which ids belong to whom, and whether two have the same. User and group ids, and those that are
 * subordinate to a user, are one space here: a process of the one must never be a process of the
 * other. Private to conf/. */

#include "conf/problem.h"

struct range {
    uint32_t first, last;
    const struct config_sandbox *sandbox; /* NULL: the host's, and then: */
    const char *source;                   /* the file it is from */
    char owner[64];
    bool subordinate;
    bool reported; /* one conflict of a range is enough to be told */
};

struct ranges {
    struct range *list;
    size_t n, size;
};

void ranges_done(struct ranges *ranges);

/* 0 or -ENOMEM. */
int ranges_add(struct ranges *ranges, const struct range *range);
int ranges_add_config(struct ranges *ranges, const struct config *config);

/* Sorts them, and reports every range of a sandbox that has ids of another. */
void ranges_check(struct ranges *ranges, const struct config *config, struct problems *problems);
