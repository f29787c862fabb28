/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/timing.h"

#include "sandboxctl/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct stage {
    char *name;
    uint64_t usec; /* while it lasts, when it began */
};

static struct stage *stages;
static size_t n_stages;
static bool is_open; /* the last one lasts */

static uint64_t monotonic_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int timing_parse(const char *text, enum timing_format *ret)
{
    if (!text || strcmp(text, "table") == 0)
        *ret = TIMING_TABLE;
    else if (strcmp(text, "markdown") == 0)
        *ret = TIMING_MARKDOWN;
    else {
        say_error(0, "--timing=%s: no such format; there are table and markdown", text);
        return -EINVAL;
    }
    return 0;
}

static void end_stage(void)
{
    if (is_open)
        stages[n_stages - 1].usec = monotonic_usec() - stages[n_stages - 1].usec;
    is_open = false;
}

void timing_stage(const char *format, ...)
{
    struct stage *list;
    va_list arguments;
    int r;

    end_stage();
    list = reallocarray(stages, n_stages + 1, sizeof *list);
    if (!list)
        abort();
    stages = list;
    va_start(arguments, format);
    r = vasprintf(&stages[n_stages].name, format, arguments);
    va_end(arguments);
    if (r < 0)
        abort();
    stages[n_stages++].usec = monotonic_usec();
    is_open = true;
}

static void print_row(enum timing_format format, const char *name, uint64_t usec, FILE *out)
{
    fprintf(out, format == TIMING_MARKDOWN ? "| %s | %.2f s |\n" : "%-44s %9.2f s\n", name,
            (double)usec / 1e6);
}

void timing_print(enum timing_format format, const char *title, FILE *out)
{
    uint64_t sum = 0;

    end_stage();
    if (format == TIMING_MARKDOWN)
        fprintf(out, "### %s\n\n| Stage | Time |\n| :-- | --: |\n", title);
    for (size_t i = 0; i < n_stages; i++) {
        if (format != TIMING_OFF)
            print_row(format, stages[i].name, stages[i].usec, out);
        sum += stages[i].usec;
        free(stages[i].name);
    }
    if (format != TIMING_OFF)
        print_row(format, format == TIMING_MARKDOWN ? "**All of it**" : title, sum, out);
    free(stages);
    stages = NULL;
    n_stages = 0;
}
