/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/origins.h"
#include "conf/policies.h"

struct comparison {
    config_change_t report;
    void *userdata;
    const struct config *new;
};

/* The whole value, a list in its braces. */
static int value_text(const struct option *option, const void *target, char **ret)
{
    _cleanup_free_ char *text = NULL;
    size_t size, n = option->type->count(option, target);
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return -ENOMEM;
    if (option->type->list)
        fputs("{", out);
    else if (n == 0)
        fputs("none", out);
    for (size_t i = 0; i < n; i++) {
        if (option->type->list)
            fputs(i > 0 ? ", " : " ", out);
        option->type->write(option, target, i, out);
    }
    if (option->type->list)
        fputs(" }", out);
    if (fclose(out) != 0)
        return -ENOMEM;

    *ret = steal_ptr(text);
    return 0;
}

static void report(const struct comparison *comparison, const struct config_sandbox *sandbox,
                   const struct option *option, const char *from, const char *to)
{
    char name[64];
    const struct option_origin *origin = origin_find(comparison->new, sandbox, option);
    const struct config_change change = {
        .section = sections[sections[option->section].parent].name,
        .sandbox = sandbox ? sandbox->name : NULL,
        .option = option_full_name(option, name),
        .from = from,
        .to = to,
        .file = origin ? origin_file(comparison->new->origins, origin->at) : NULL,
        .line = origin ? origin->at.line : 0,
    };

    comparison->report(&change, comparison->userdata);
}

static int compare_options(const struct comparison *comparison, const void *old, const void *new,
                           const struct config_sandbox *sandbox, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        _cleanup_free_ char *from = NULL, *to = NULL;

        int r = value_text(&options[i], old, &from);
        if (r == 0)
            r = value_text(&options[i], new, &to);
        if (r < 0)
            return r;
        if (strcmp(from, to) != 0)
            report(comparison, sandbox, &options[i], from, to);
    }
    return 0;
}

static int report_new_sandbox(const struct comparison *comparison,
                              const struct config_sandbox *sandbox)
{
    const struct config *new = comparison->new;
    const struct origins_of *origins =
        new->origins ? &new->origins->sandboxes[sandbox - new->sandboxes] : NULL;
    const struct config_change comes = {
        .section = sections[SECTION_SANDBOX].name,
        .sandbox = sandbox->name,
        .to = sandbox->name,
        .file = origins ? origin_file(new->origins, origins->section) : NULL,
        .line = origins ? origins->section.line : 0,
    };

    comparison->report(&comes, comparison->userdata);
    for (size_t i = options_first_of_sandbox(); i < n_options; i++) {
        const struct option_origin *origin = origin_find(new, sandbox, &options[i]);
        _cleanup_free_ char *to = NULL;

        if (origin && !origin_file(new->origins, origin->at))
            continue;
        int r = value_text(&options[i], sandbox, &to);
        if (r < 0)
            return r;
        report(comparison, sandbox, &options[i], NULL, to);
    }
    return 0;
}

static void report_gone_sandbox(const struct comparison *comparison,
                                const struct config_sandbox *sandbox)
{
    const struct config_change goes = {
        .section = sections[SECTION_SANDBOX].name,
        .sandbox = sandbox->name,
        .from = sandbox->name,
    };

    comparison->report(&goes, comparison->userdata);
}

/* Both are sorted by name. */
static int compare_sandboxes(const struct comparison *comparison, const struct config *old)
{
    const struct config *new = comparison->new;
    size_t i = 0, j = 0;
    int r = 0;

    while (r == 0 && (i < old->n_sandboxes || j < new->n_sandboxes)) {
        const struct config_sandbox *a = i < old->n_sandboxes ? &old->sandboxes[i] : NULL;
        const struct config_sandbox *b = j < new->n_sandboxes ? &new->sandboxes[j] : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);

        if (order < 0)
            report_gone_sandbox(comparison, a);
        else if (order > 0)
            r = report_new_sandbox(comparison, b);
        else
            r = compare_options(comparison, a, b, b, options_first_of_sandbox(), n_options);
        i += order <= 0;
        j += order >= 0;
    }
    return r;
}

/* Files that are named in both. What is in them is too much to tell: the digest's beginning. */
static void compare_policies(const struct comparison *comparison, const struct config *old)
{
    const struct config *new = comparison->new;

    for (size_t i = 0; i < old->n_policies; i++)
        for (size_t j = 0; j < new->n_policies; j++) {
            char from[SNAPSHOT_DIGEST_SIZE], to[SNAPSHOT_DIGEST_SIZE];
            const struct config_change change = {
                .section = sections[SECTION_EGRESS].name,
                .option = "rules",
                .from = from,
                .to = to,
                .file = policy_path(&new->policies[j]),
            };

            policy_digest(&old->policies[i], from);
            policy_digest(&new->policies[j], to);
            if (strcmp(policy_path(&old->policies[i]), change.file) != 0 || strcmp(from, to) == 0)
                continue;
            from[12] = to[12] = '\0';
            comparison->report(&change, comparison->userdata);
        }
}

static int config_new_empty(struct config **ret)
{
    _cleanup_(config_freep) struct config *config = calloc(1, sizeof *config);

    if (!config)
        return -ENOMEM;
    int r = options_set_fallbacks(config, 0, options_first_of_sandbox());
    if (r < 0)
        return r;
    *ret = steal_ptr(config);
    return 0;
}

int config_compare(const struct config *old, const struct config *new, config_change_t change,
                   void *userdata)
{
    _cleanup_(config_freep) struct config *empty = NULL;
    const struct comparison comparison = {
        .report = change,
        .userdata = userdata,
        .new = new,
    };

    int r = old ? 0 : config_new_empty(&empty);
    if (r == 0)
        r = compare_options(&comparison, old ?: empty, new, NULL, 0, options_first_of_sandbox());
    if (r == 0)
        r = compare_sandboxes(&comparison, old ?: empty);
    if (r == 0 && old)
        compare_policies(&comparison, old);
    return r;
}
