/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A configuration in the making: values arrive file by file and option by option, later ones win,
 * and each is remembered with its origin. Private to conf/. */

#include "conf/options.h"
#include "conf/origins.h"

struct text_value;

struct merge_sandbox {
    struct config_sandbox sandbox;
    struct origins_of origins;
};

struct merge {
    struct problems problems;
    struct config *config;            /* without sandboxes before merge_finish() */
    struct merge_sandbox **sandboxes; /* in the order in which they were named */
    size_t n_sandboxes;
    void *by_name;      /* tsearch(3) */
    struct origin file; /* what is being read; its line is not used */
};

int merge_init(struct merge *merge, config_problem_t report, void *userdata);
void merge_done(struct merge *merge);

/* What follows comes from this file. */
int merge_begin_file(struct merge *merge, const char *path);
const char *merge_file(const struct merge *merge);

/* The sandbox of that name, new or known. Returns 0, or a negative errno: -EINVAL after the name
 * was reported as wrong. */
int merge_find_sandbox(struct merge *merge, const char *name, unsigned line,
                       struct merge_sandbox **ret);

/* Sets an option, or appends to it: one statement, with its values (text.h). sandbox is NULL for
 * options of struct config. What is wrong
 * with a value is reported; the return value is 0 or -ENOMEM. */
int merge_set(struct merge *merge, struct merge_sandbox *sandbox, const struct option *option,
              bool append, unsigned line, struct text_value *const *values, size_t n_values);

/* Hands the configuration over, sandboxes sorted. Also when there were problems, as the caller may
 * find more in it. */
int merge_finish(struct merge *merge, struct config **ret);
