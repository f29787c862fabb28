/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/merge.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/rules.h"
#include "conf/text.h"

int merge_init(struct merge *merge, config_problem_t report, void *userdata)
{
    const size_t border = options_first_of_sandbox();
    int r;

    *merge = (struct merge){ .problems = { .report = report, .userdata = userdata } };
    merge->config = calloc(1, sizeof *merge->config);
    if (!merge->config)
        return -ENOMEM;
    options_clear(merge->config, 0, border);
    merge->config->run0.limits.sessions = CONFIG_UNLIMITED; /* no option */
    merge->config->origins = calloc(1, sizeof *merge->config->origins);
    if (!merge->config->origins)
        return -ENOMEM;
    r = origins_of_init(&merge->config->origins->common, border);
    if (r < 0)
        return r;
    return options_set_fallbacks(merge->config, 0, border);
}

static void free_sandbox(struct merge_sandbox *sandbox)
{
    const size_t border = options_first_of_sandbox();

    options_clear(&sandbox->sandbox, border, n_options);
    origins_of_free(&sandbox->origins, n_options - border);
    free(sandbox->sandbox.name);
    free(sandbox);
}

static void keep(void *node)
{
    (void)node;
}

void merge_done(struct merge *merge)
{
    tdestroy(merge->by_name, keep);
    for (size_t i = 0; i < merge->n_sandboxes; i++)
        free_sandbox(merge->sandboxes[i]);
    free(merge->sandboxes);
    config_free(merge->config);
    *merge = (struct merge){ 0 };
}

int merge_begin_file(struct merge *merge, const char *path)
{
    struct config_origins *origins = merge->config->origins;
    char **files = reallocarray(origins->files, origins->n_files + 1, sizeof *files);

    if (!files)
        return -ENOMEM;
    origins->files = files;
    files[origins->n_files] = strdup(path);
    if (!files[origins->n_files])
        return -ENOMEM;
    merge->file.file = (uint32_t)++origins->n_files;
    return 0;
}

const char *merge_file(const struct merge *merge)
{
    return origin_file(merge->config->origins, merge->file);
}

static struct origin here(const struct merge *merge, unsigned line)
{
    return (struct origin){ .file = merge->file.file, .line = line };
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct merge_sandbox *)a)->sandbox.name,
                  ((const struct merge_sandbox *)b)->sandbox.name);
}

static int new_sandbox(struct merge *merge, const char *name, unsigned line,
                       struct merge_sandbox **ret)
{
    const size_t border = options_first_of_sandbox();
    struct merge_sandbox **list, *sandbox;
    int r;

    list = reallocarray(merge->sandboxes, merge->n_sandboxes + 1, sizeof(struct merge_sandbox *));
    if (!list)
        return -ENOMEM;
    merge->sandboxes = list;
    sandbox = calloc(1, sizeof *sandbox);
    if (!sandbox)
        return -ENOMEM;
    sandbox->origins.section = here(merge, line);
    sandbox->sandbox.name = strdup(name);
    options_clear(&sandbox->sandbox, border, n_options);
    r = sandbox->sandbox.name ? origins_of_init(&sandbox->origins, n_options - border) : -ENOMEM;
    if (r == 0)
        r = options_set_fallbacks(&sandbox->sandbox, border, n_options);
    if (r == 0 && !tsearch(sandbox, &merge->by_name, compare))
        r = -ENOMEM;
    if (r < 0) {
        free_sandbox(sandbox);
        return r;
    }
    list[merge->n_sandboxes++] = sandbox;
    *ret = sandbox;
    return 0;
}

int merge_find_sandbox(struct merge *merge, const char *name, unsigned line,
                       struct merge_sandbox **ret)
{
    const struct merge_sandbox key = { .sandbox.name = (char *)name };
    struct merge_sandbox **known = tfind(&key, &merge->by_name, compare);
    struct reason reason;

    if (known) {
        *ret = *known;
        return 0;
    }
    if (rule_sandbox_name(name, &reason) < 0) {
        problem(&merge->problems, merge_file(merge), line, "sandbox: %s", reason.text);
        return -EINVAL;
    }
    return new_sandbox(merge, name, line, ret);
}

int merge_set(struct merge *merge, struct merge_sandbox *sandbox, const struct option *option,
              bool append, unsigned line, struct text_value *const *values, size_t n_values)
{
    const size_t i = (size_t)(option - options);
    void *target = merge->config;
    struct option_origin *origin = &merge->config->origins->common.options[i];
    char name[64];

    if (sandbox) {
        target = &sandbox->sandbox;
        origin = &sandbox->origins.options[i - options_first_of_sandbox()];
    }
    origin->at = here(merge, line);
    if (option->type->list && !append) {
        option->type->clear(option, target);
        origin_clear_elements(origin);
    }
    for (size_t v = 0; v < n_values; v++) {
        struct reason reason;
        int r = option->type->read(option, values[v]->text, target, &reason);

        if (r == 0 && option->type->list)
            r = origin_append_element(origin, here(merge, values[v]->line));
        if (r == -EALREADY)
            continue;
        if (r == -EINVAL)
            problem(&merge->problems, merge_file(merge), values[v]->line, "%s: %s",
                    option_full_name(option, name), reason.text);
        else if (r < 0)
            return r;
        else
            origin->at = here(merge, values[v]->line);
    }
    return 0;
}

static int compare_pointers(const void *a, const void *b)
{
    return compare(*(struct merge_sandbox *const *)a, *(struct merge_sandbox *const *)b);
}

int merge_finish(struct merge *merge, struct config **ret)
{
    const size_t border = options_first_of_sandbox(), n = merge->n_sandboxes;
    struct config *config = merge->config;
    int r;

    config->sandboxes = calloc(n + 1, sizeof *config->sandboxes);
    config->origins->sandboxes = calloc(n + 1, sizeof *config->origins->sandboxes);
    if (!config->sandboxes || !config->origins->sandboxes)
        return -ENOMEM;
    r = options_complete(config, 0, border);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = options_complete(&merge->sandboxes[i]->sandbox, border, n_options);
    if (r < 0)
        return r;

    if (n > 0)
        qsort(merge->sandboxes, n, sizeof *merge->sandboxes, compare_pointers);
    for (size_t i = 0; i < n; i++) {
        config->sandboxes[i] = merge->sandboxes[i]->sandbox;
        config->origins->sandboxes[i] = merge->sandboxes[i]->origins;
        free(merge->sandboxes[i]);
    }
    tdestroy(merge->by_name, keep);
    config->n_sandboxes = config->origins->n_sandboxes = n;
    merge->by_name = NULL;
    merge->n_sandboxes = 0;
    merge->config = NULL;
    *ret = config;
    return 0;
}
