/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/check.h"
#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/files.h"
#include "conf/parse.h"
#include "conf/paths.h"
#include "conf/policies.h"
#include "conf/rules.h"

struct reader {
    struct merge merge;
    struct files files;
};

static void reader_done(struct reader *reader)
{
    merge_done(&reader->merge);
    files_close(&reader->files);
}

static int reader_init(struct reader *reader, const char *root, config_problem_t report,
                       void *userdata)
{
    int r = merge_init(&reader->merge, report, userdata);

    reader->files.root_fd = -EBADF;
    return r < 0 ? r : files_open(&reader->files, root, &reader->merge.problems);
}

/* -ENOENT: there is no such file. Else 0, also after problems, or -ENOMEM. */
static int read_file(struct reader *reader, const char *path)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    int r = files_read(&reader->files, path, &text, &size);

    if (r == 0 && text)
        r = parse_text(&reader->merge, path, text, size);
    return r;
}

static int is_dropin(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);

    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".conf") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_dropins(struct reader *reader, const char *directory)
{
    struct dirent **entries;
    _cleanup_close_ int fd = files_open_directory(&reader->files, directory);
    int n, r = 0;

    if (fd < 0)
        return 0;
    n = scandirat(fd, ".", &entries, is_dropin, by_bytes);
    if (n < 0) {
        files_cannot_read(&reader->files, directory, -errno);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        _cleanup_free_ char *path = NULL;

        if (r == 0 && asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0) {
            path = NULL;
            r = -ENOMEM;
        }
        if (r == 0)
            r = read_file(reader, path);
        if (r == -ENOENT) { /* gone since */
            files_cannot_read(&reader->files, path, r);
            r = 0;
        }
        free(entries[i]);
    }
    free(entries);
    return r;
}

/* source: of config_load_etc(); NULL: a snapshot. whole: its rules of proxies as well. */
static int finish(struct reader *reader, int error, const struct config_source *source, bool whole,
                  struct config **ret)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = error;

    if (r == 0)
        r = merge_finish(&reader->merge, &config);
    if (r == 0)
        r = check_config(config, &reader->merge.problems);
    if (r == 0)
        r = source && source->check_host
                ? check_host(config, reader->files.root_fd, &reader->merge.problems)
                : check_ids(config, &reader->merge.problems);
    if (r == 0 && source)
        r = policies_load_etc(config, source->root, &reader->merge.problems);
    if (r == 0 && !source && whole)
        r = policies_load_snapshot(config, &reader->files);
    if (r == 0)
        r = problems_result(&reader->merge.problems);
    if (r == 0)
        *ret = steal_ptr(config);
    return r;
}

static int read_optional(struct reader *reader, const char *path)
{
    const int r = read_file(reader, path);

    return r == -ENOENT ? 0 : r;
}

int config_load_etc(const struct config_source *source, config_problem_t report, void *userdata,
                    struct config **ret)
{
    _cleanup_(reader_done) struct reader reader = { 0 };
    _cleanup_close_ int etc_fd = -EBADF;
    int r = reader_init(&reader, source->root, report, userdata);

    if (r == 0)
        r = read_optional(&reader, CONFIG_VENDOR_FILE);
    if (r == 0)
        etc_fd = files_open_directory(&reader.files, CONFIG_DIR);
    if (r == 0 && etc_fd >= 0)
        r = read_optional(&reader, CONFIG_ADMIN_FILE);
    if (r == 0 && etc_fd >= 0)
        r = read_dropins(&reader, CONFIG_DROPIN_DIR);
    return finish(&reader, r, source, true, ret);
}

static int load_one(const char *root, const char *path, bool whole, config_problem_t report,
                    void *userdata, struct config **ret)
{
    _cleanup_(reader_done) struct reader reader = { 0 };
    int r = reader_init(&reader, root, report, userdata);

    if (r == 0)
        r = read_file(&reader, path);
    return finish(&reader, r, NULL, whole, ret);
}

int config_load_snapshot(const char *root, config_problem_t report, void *userdata,
                         struct config **ret)
{
    return load_one(root, SNAPSHOT_FILE, true, report, userdata, ret);
}

int config_load_snapshot_of(const char *root, const char *name, config_problem_t report,
                            void *userdata, struct config **ret)
{
    char path[sizeof SNAPSHOT_SPLIT_DIR + 64];
    _cleanup_(config_freep) struct config *config = NULL;
    struct reason reason;
    int r;

    if (!name)
        return load_one(root, SNAPSHOT_SPLIT_DIR "/" SNAPSHOT_SPLIT_HOST, false, report, userdata,
                        ret);
    /* A name that could not be a sandbox's could be a path. */
    if (rule_sandbox_name(name, &reason) < 0)
        return -ENOENT;
    (void)snprintf(path, sizeof path, SNAPSHOT_SPLIT_DIR "/%s.conf", name);
    r = load_one(root, path, false, report, userdata, &config);
    if (r < 0)
        return r;
    if (config->n_sandboxes != 1 || strcmp(config->sandboxes[0].name, name) != 0) {
        if (report)
            report(path, 0,
                   "does not describe the sandbox that it is named after; run "
                   "sandboxctl apply",
                   userdata);
        return -EINVAL;
    }
    *ret = steal_ptr(config);
    return 0;
}
