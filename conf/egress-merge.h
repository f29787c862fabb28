/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The proxy's rules in the making: texts arrive one by one and later ones win, per option. Private
 * to conf/. */

#include <stdbool.h>

#include "conf/egress-policy.h"
#include "conf/problem.h"

struct egress_merge {
    struct problems *problems;
    struct egress_policy *policy;
    bool *hosts_named; /* as policy->rules: hosts was written, be it as { } */
    /* What the last text includes, absolute; egress_merge_text() empties it first. */
    char **include;
    size_t n_include;
};

/* Returns 0 or -ENOMEM; egress_merge_done() is right after either. */
int egress_merge_init(struct egress_merge *merge, struct problems *problems);
void egress_merge_done(struct egress_merge *merge);

/* Reads a text, named path in messages. What is wrong with it is reported; 0 or -ENOMEM. */
int egress_merge_text(struct egress_merge *merge, const char *path, const char *text, size_t size);

/* Checks what no later text can make right any more, and hands the policy over. */
int egress_merge_finish(struct egress_merge *merge, struct egress_policy **ret);
