/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>

#include "conf/config.h"
#include "conf/origins.h"

struct writer {
    const struct config *config;
    const struct config_sandbox *sandbox; /* NULL: options of struct config */
    bool origins;
    FILE *out;
};

static void write_origin(const struct writer *writer, struct origin at)
{
    const char *file = origin_file(writer->config->origins, at);

    if (file)
        fprintf(writer->out, "  # %s:%u", file, at.line);
    else
        fputs("  # built in", writer->out);
}

static bool same(struct origin a, struct origin b)
{
    return a.file == b.file && a.line == b.line;
}

static void write_list(const struct writer *writer, const struct option *option, const void *target,
                       const struct option_origin *origin, int indent)
{
    const size_t n = option->type->count(option, target);
    bool spread = false;

    for (size_t i = 1; origin && i < n; i++)
        spread |= !same(origin->elements[i], origin->elements[0]);
    fputs("{", writer->out);
    for (size_t i = 0; i < n; i++) {
        if (spread)
            fprintf(writer->out, "\n%*s", indent + 4, "");
        else
            fputc(' ', writer->out);
        option->type->write(option, target, i, writer->out);
        if (i + 1 < n)
            fputc(',', writer->out);
        if (spread)
            write_origin(writer, origin->elements[i]);
    }
    if (spread)
        fprintf(writer->out, "\n%*s}", indent, "");
    else
        fputs(" }", writer->out);
    if (origin && !spread)
        write_origin(writer, n > 0 ? origin->elements[0] : origin->at);
}

static void write_option(const struct writer *writer, const struct option *option, int indent)
{
    const void *target =
        writer->sandbox ? (const void *)writer->sandbox : (const void *)writer->config;
    const struct option_origin *origin =
        writer->origins ? origin_find(writer->config, writer->sandbox, option) : NULL;

    if (!option->type->list && option->type->count(option, target) == 0)
        return;
    fprintf(writer->out, "%*s%s = ", indent, "", option->name);
    if (option->type->list)
        write_list(writer, option, target, origin, indent);
    else {
        option->type->write(option, target, 0, writer->out);
        if (origin)
            write_origin(writer, origin->at);
    }
    fputc('\n', writer->out);
}

static void write_section(const struct writer *writer, enum option_section section, int indent)
{
    fprintf(writer->out, "%*s%s", indent, "", sections[section].name);
    if (section == SECTION_SANDBOX)
        fprintf(writer->out, " \"%s\"", writer->sandbox->name);
    fputs(" {\n", writer->out);
    for (size_t i = 0; i < n_options; i++)
        if (options[i].section == section)
            write_option(writer, &options[i], indent + 4);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (i != section && sections[i].parent == section)
            write_section(writer, i, indent + 4);
    fprintf(writer->out, "%*s}\n", indent, "");
}

int config_write(const struct config *config, const struct config_sandbox *only, bool origins,
                 FILE *out)
{
    struct writer writer = {
        .config = config,
        .origins = origins && config->origins,
        .out = out,
    };

    write_section(&writer, SECTION_HOST, 0);
    write_section(&writer, SECTION_RUN0, 0);
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        writer.sandbox = &config->sandboxes[i];
        if (!only || only == writer.sandbox)
            write_section(&writer, SECTION_SANDBOX, 0);
    }
    return ferror(out) ? -EIO : 0;
}
