/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Configuration files with any content, through libconfuse and every check that needs no host. What
 * is accepted is written and read again: the same configuration, accepted again. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/check.h"
#include "conf/cleanup.h"
#include "conf/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)line;
    assert(strcmp(file, "fuzz") == 0);
    assert(*message);
    ++*(unsigned *)userdata;
}

static struct config *load(const char *text, size_t size)
{
    _cleanup_(merge_done) struct merge merge;
    _cleanup_(config_freep) struct config *config = NULL;
    unsigned problems = 0;

    assert(merge_init(&merge, on_problem, &problems) == 0);
    assert(parse_text(&merge, "fuzz", text, size) == 0);
    assert(merge_finish(&merge, &config) == 0);
    assert(check_config(config, &merge.problems) == 0);
    assert(check_ids(config, &merge.problems) == 0);
    assert((problems == 0) == (problems_result(&merge.problems) == 0));
    return problems == 0 ? steal_ptr(config) : NULL;
}

static char *render(const struct config *config, bool origins, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    assert(out && config_write(config, NULL, origins, out) == 0);
    assert(fclose(out) == 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_(config_freep) struct config *config = load((const char *)data, size), *again = NULL;
    _cleanup_free_ char *first = NULL, *second = NULL, *commented = NULL;
    size_t n;

    if (!config)
        return 0;
    first = render(config, false, &n);
    commented = render(config, true, &n);
    again = load(commented, n);
    assert(again);
    second = render(again, false, &n);
    assert(strcmp(first, second) == 0);
    return 0;
}
