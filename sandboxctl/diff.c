/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/diff.h"

#include "conf/compare.h"

struct diff {
    FILE *out;
    size_t n_changes;
};

static void print_change(const struct config_change *change, void *userdata)
{
    struct diff *diff = userdata;
    char mark = !change->from ? '+' : !change->to ? '-' : '~';

    diff->n_changes++;
    fprintf(diff->out, "%c %s", mark, change->section);
    if (change->sandbox)
        fprintf(diff->out, " \"%s\"", change->sandbox);
    if (change->option)
        fprintf(diff->out, " %s = ", change->option);
    if (change->option && change->from)
        fprintf(diff->out, "%s -> ", change->from);
    if (change->option)
        fputs(change->to, diff->out);
    if (change->file && change->line > 0)
        fprintf(diff->out, "  # %s:%u", change->file, change->line);
    else if (change->file)
        fprintf(diff->out, "  # %s", change->file);
    else if (change->to && change->from)
        fputs("  # built in", diff->out);
    fputc('\n', diff->out);
}

int diff_print(const struct config *old, const struct config *new, FILE *out, size_t *n_changes)
{
    struct diff diff = { .out = out };

    int r = config_compare(old, new, print_change, &diff);
    *n_changes = diff.n_changes;
    return r;
}
