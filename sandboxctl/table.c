/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_add(struct table *table, const char *format, ...)
{
    va_list arguments;
    char *cell;

    /* A power of two is full. */
    if ((table->n_cells & (table->n_cells - 1)) == 0) {
        size_t room = table->n_cells ? table->n_cells * 2 : 1;
        char **cells = reallocarray(table->cells, room, sizeof(*cells));
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
    }

    va_start(arguments, format);
    int r = vasprintf(&cell, format, arguments);
    va_end(arguments);
    if (r < 0)
        table->failed = true;
    else
        table->cells[table->n_cells++] = cell;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = 0;

    for (size_t i = column; i < table->n_cells; i += table->n_columns) {
        size_t length = strlen(table->cells[i]);
        if (length > width)
            width = length;
    }
    return width;
}

int table_print(const struct table *table, int indent, FILE *out)
{
    size_t widths[TABLE_COLUMNS_MAX];

    if (table->failed)
        return -ENOMEM;
    for (size_t column = 0; column < table->n_columns; column++)
        widths[column] = column_width(table, column);

    for (size_t i = 0; i < table->n_cells; i++) {
        size_t column = i % table->n_columns;

        if (column == 0)
            fprintf(out, "%*s", indent, "");
        if (column + 1 == table->n_columns)
            fprintf(out, "%s\n", table->cells[i]);
        else
            fprintf(out, "%-*s  ", (int)widths[column], table->cells[i]);
    }
    return 0;
}

void table_done(struct table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct table){};
}
