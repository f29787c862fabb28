/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/egress-policy.h"

#include <errno.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-merge.h"
#include "conf/egress-options.h"
#include "conf/files.h"
#include "conf/paths.h"
#include "conf/rules.h"

/* A file that includes itself, by whatever way, ends here. */
#define MAX_FILES 64

struct loader {
    struct problems problems;
    struct files files;
    struct egress_merge merge;
    char *paths[MAX_FILES];
    size_t n_paths;
};

static int loader_init(struct loader *loader, const char *root, config_problem_t report,
                       void *userdata)
{
    int r;

    loader->problems = (struct problems){ .report = report, .userdata = userdata };
    loader->files.root_fd = -EBADF;
    r = egress_merge_init(&loader->merge, &loader->problems);
    return r < 0 ? r : files_open(&loader->files, root, &loader->problems);
}

static void loader_done(struct loader *loader)
{
    egress_merge_done(&loader->merge);
    files_close(&loader->files);
    for (size_t i = 0; i < loader->n_paths; i++)
        free(loader->paths[i]);
}

/* Puts it in the queue, once; takes it over. */
static int add_path(struct loader *loader, const char *from, char *path)
{
    for (size_t i = 0; i < loader->n_paths; i++)
        if (strcmp(loader->paths[i], path) == 0) {
            free(path);
            return 0;
        }
    if (loader->n_paths == MAX_FILES) {
        problem(&loader->problems, from, 0, "more than %d files are included; put rules together",
                MAX_FILES);
        free(path);
        return 0;
    }
    loader->paths[loader->n_paths++] = path;
    return 0;
}

/* -ENOENT: there is no such file. */
static int read_text(struct loader *loader, const char *path)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    int r = files_read(&loader->files, path, &text, &size);

    if (r == 0 && text)
        r = egress_merge_text(&loader->merge, path, text, size);
    return r;
}

/* The file and what it includes: each after the file that names it, so that what it says wins. */
static int read_tree(struct loader *loader, const char *path, bool optional)
{
    size_t next = loader->n_paths;
    char *copy = strdup(path);
    int r = 0;

    if (!copy)
        return -ENOMEM;
    add_path(loader, path, copy);
    for (; r == 0 && next < loader->n_paths; next++) {
        const char *this = loader->paths[next];

        r = read_text(loader, this);
        if (r == -ENOENT) {
            if (!optional || strcmp(this, path) != 0)
                files_cannot_read(&loader->files, this, r);
            r = 0;
            continue;
        }
        for (size_t i = 0; r == 0 && i < loader->merge.n_include; i++)
            r = add_path(loader, this, steal_ptr(loader->merge.include[i]));
        loader->merge.n_include = 0;
    }
    return r;
}

static int finish(struct loader *loader, int error, struct egress_policy **ret)
{
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    int r = error;

    if (r == 0)
        r = egress_merge_finish(&loader->merge, &policy);
    if (r == 0)
        r = problems_result(&loader->problems);
    if (r == 0)
        *ret = steal_ptr(policy);
    return r;
}

int egress_load_etc(const char *root, const char *path, config_problem_t report, void *userdata,
                    struct egress_policy **ret)
{
    _cleanup_(loader_done) struct loader loader = { 0 };
    int r = loader_init(&loader, root, report, userdata);

    if (r == 0)
        r = read_tree(&loader, EGRESS_VENDOR_FILE, true);
    if (r == 0)
        r = read_tree(&loader, path ? path : EGRESS_ADMIN_FILE, !path);
    return finish(&loader, r, ret);
}

int egress_load_snapshot(const char *root, const char *sandbox, config_problem_t report,
                         void *userdata, struct egress_policy **ret)
{
    _cleanup_(loader_done) struct loader loader = { 0 };
    char path[sizeof SNAPSHOT_SPLIT_DIR SNAPSHOT_EGRESS_SUFFIX + 64];
    struct reason reason;
    int r;

    /* A name that could not be a sandbox's could be a path. */
    if (rule_sandbox_name(sandbox, &reason) < 0)
        return -ENOENT;
    (void)snprintf(path, sizeof path, SNAPSHOT_SPLIT_DIR "/%s" SNAPSHOT_EGRESS_SUFFIX, sandbox);
    r = loader_init(&loader, root, report, userdata);
    if (r == 0)
        r = read_text(&loader, path);
    return finish(&loader, r, ret);
}

static void write_option(const struct option *option, const void *target, FILE *out)
{
    const size_t n = option->type->count(option, target);

    if (!option->type->list && n == 0)
        return;
    fprintf(out, "    %s = ", option->name);
    if (option->type->list)
        fputs("{ ", out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            fputs(", ", out);
        option->type->write(option, target, i, out);
    }
    fputs(option->type->list ? " }\n" : "\n", out);
}

int egress_write(const struct egress_policy *policy, FILE *out)
{
    fputs("feed {\n", out);
    for (const struct option *option = egress_feed_options; option->name; option++)
        write_option(option, policy, out);
    fputs("}\n", out);
    for (size_t i = 0; i < policy->n_rules; i++) {
        fprintf(out, "write \"%s\" {\n", policy->rules[i].name);
        for (const struct option *option = egress_rule_options; option->name; option++)
            write_option(option, &policy->rules[i], out);
        fputs("}\n", out);
    }
    return ferror(out) ? -EIO : 0;
}

int egress_feed_path(const struct egress_policy *policy, const char *sandbox, char **ret)
{
    *ret = NULL;
    if (policy->feed_file)
        *ret = strdup(policy->feed_file);
    else if (!policy->feed_url)
        return 0;
    else if (asprintf(ret, EGRESS_FEED_DIR "/%s", sandbox) < 0)
        *ret = NULL;
    return *ret ? 0 : -ENOMEM;
}

void egress_free(struct egress_policy *policy)
{
    if (!policy)
        return;
    for (const struct option *option = egress_feed_options; option->name; option++)
        option->type->clear(option, policy);
    for (size_t i = 0; i < policy->n_rules; i++) {
        struct egress_rule *rule = &policy->rules[i];

        for (const struct option *option = egress_rule_options; option->name; option++)
            option->type->clear(option, rule);
        free(rule->name);
        free(rule->file);
    }
    free(policy->rules);
    free(policy);
}
