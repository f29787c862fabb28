/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Columns for people: each as wide as its widest cell. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 8

struct table {
    size_t n_columns; /* at most TABLE_COLUMNS_MAX */
    size_t n_cells;
    char **cells; /* row by row */
    bool failed;
};

/* Adds one cell; n_columns of them make a row. */
__attribute__((format(printf, 2, 3))) void table_add(struct table *table, const char *format, ...);

/* Prints it, each line after indent blanks. Returns 0, or -ENOMEM when a cell could not be kept. */
int table_print(const struct table *table, int indent, FILE *out);

void table_done(struct table *table);

#define _cleanup_table_ __attribute__((cleanup(table_done)))
