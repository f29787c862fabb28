/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The proxy's rules with any content, through libconfuse and every check. What is accepted is
 * written and read again: the same rules, accepted again; and any path can be asked for. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-merge.h"
#include "conf/egress-path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)line;
    assert(strcmp(file, "/fuzz") == 0);
    assert(*message);
    ++*(unsigned *)userdata;
}

static struct egress_policy *load(const char *text, size_t size)
{
    _cleanup_(egress_merge_done) struct egress_merge merge = { 0 };
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    unsigned n = 0;
    struct problems problems = { .report = on_problem, .userdata = &n };

    assert(egress_merge_init(&merge, &problems) == 0);
    assert(egress_merge_text(&merge, "/fuzz", text, size) == 0);
    assert(egress_merge_finish(&merge, &policy) == 0);
    return n == 0 ? steal_ptr(policy) : NULL;
}

static char *render(const struct egress_policy *policy, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    assert(out && egress_write(policy, out) == 0);
    assert(fclose(out) == 0);
    return text;
}

/* The input once more, as a path. A pattern without wildcards is a path, and matches itself. */
static void match(const struct egress_policy *policy, const uint8_t *data, size_t size)
{
    _cleanup_free_ char *path = malloc(size + 1);
    const bool right = path && size > 0 && (memcpy(path, data, size), true) &&
                       egress_normalise_path(path, &size) == 0;
    size_t again = size;

    if (right)
        assert(egress_normalise_path(path, &again) == 0 && again == size);
    for (size_t i = 0; policy && i < policy->n_rules; i++)
        for (char **p = policy->rules[i].paths; *p; p++) {
            if (right)
                (void)egress_match_path(*p, path, size);
            if (!strchr(*p, '*'))
                assert(egress_match_path(*p, *p, strlen(*p)));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_(egress_freep) struct egress_policy *policy = load((const char *)data, size);
    _cleanup_(egress_freep) struct egress_policy *again = NULL;
    _cleanup_free_ char *first = NULL, *second = NULL;
    size_t n;

    match(policy, data, size);
    if (!policy)
        return 0;
    first = render(policy, &n);
    again = load(first, n);
    assert(again);
    second = render(again, &n);
    assert(strcmp(first, second) == 0);
    return 0;
}
