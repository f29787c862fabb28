/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/record.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* GitHub, Forgejo and Gitea: Actions, "Variables"; GitLab: "Predefined CI/CD variables"; Jenkins:
 * env-vars.html; Buildkite: "Environment variables". */
const char *const record_job_variables[] = {
    "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB",
    "CI_JOB_ID",         "BUILD_TAG",     "BUILDKITE_JOB_ID",   NULL,
};

void record_done(struct record *record)
{
    free(record->digest);
    free(record->version);
    sd_json_variant_unref(record->job);
    *record = (struct record){};
}

int record_of_now(const char *digest, struct record *ret)
{
    _cleanup_(record_done) struct record record = {
        .digest = strdup(digest),
        .version = strdup(PACKAGE_VERSION),
    };
    bool any = false;

    if (!record.digest || !record.version)
        return -ENOMEM;
    int r = sd_id128_get_boot(&record.boot);
    if (r >= 0)
        r = sd_json_variant_new_object(&record.job, NULL, 0);
    for (const char *const *name = record_job_variables; *name && r >= 0; name++) {
        const char *value = secure_getenv(*name);

        if (!value || !*value)
            continue;
        any = true;
        r = sd_json_variant_set_field_string(&record.job, *name, value);
    }
    if (r < 0)
        return r;
    if (!any)
        return -ENOMSG;
    *ret = record;
    record = (struct record){};
    return 0;
}

const char *record_difference(const struct record *a, const struct record *b)
{
    if (!sd_id128_equal(a->boot, b->boot))
        return "boot";
    if (strcmp(a->version, b->version) != 0)
        return "version of the package";
    if (strcmp(a->digest, b->digest) != 0)
        return "configuration";
    return sd_json_variant_equal(a->job, b->job) ? NULL : "job";
}

static bool is_roots_alone(int fd, mode_t type)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == 0 &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int record_read(const char *path, struct record *ret)
{
    static const sd_json_dispatch_field fields[] = {
        { "boot", SD_JSON_VARIANT_STRING, sd_json_dispatch_id128, offsetof(struct record, boot),
          SD_JSON_MANDATORY },
        { "digest", SD_JSON_VARIANT_STRING, sd_json_dispatch_string,
          offsetof(struct record, digest), SD_JSON_MANDATORY },
        { "version", SD_JSON_VARIANT_STRING, sd_json_dispatch_string,
          offsetof(struct record, version), SD_JSON_MANDATORY },
        { "job", SD_JSON_VARIANT_OBJECT, sd_json_dispatch_variant, offsetof(struct record, job),
          SD_JSON_MANDATORY },
        { "realtimeUSec", _SD_JSON_VARIANT_TYPE_INVALID, sd_json_dispatch_uint64,
          offsetof(struct record, realtime_usec), SD_JSON_MANDATORY },
        { "held", _SD_JSON_VARIANT_TYPE_INVALID, sd_json_dispatch_uint64,
          offsetof(struct record, n_held), SD_JSON_MANDATORY },
        { "skipped", _SD_JSON_VARIANT_TYPE_INVALID, sd_json_dispatch_uint64,
          offsetof(struct record, n_skipped), SD_JSON_MANDATORY },
        {},
    };
    _cleanup_(record_done) struct record record = {};
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *json = NULL;
    _cleanup_fclose_ FILE *file = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    file = fdopen(fd, "r");
    if (!file) {
        close(fd);
        return -ENOMEM;
    }
    if (!is_roots_alone(fd, S_IFREG))
        return -EPERM;
    int r = sd_json_parse_file(file, path, 0, &json, NULL, NULL);
    if (r >= 0)
        r = sd_json_dispatch(json, fields, 0, &record);
    if (r < 0)
        return r == -ENOMEM ? r : -EBADMSG;
    *ret = record;
    record = (struct record){};
    return 0;
}

static int print(int fd, const struct record *record)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *json = NULL;
    _cleanup_fclose_ FILE *file = fdopen(fd, "w");

    if (!file) {
        close(fd);
        return -ENOMEM;
    }
    int r = sd_json_buildo(&json, SD_JSON_BUILD_PAIR_ID128("boot", record->boot),
                           SD_JSON_BUILD_PAIR_STRING("version", record->version),
                           SD_JSON_BUILD_PAIR_STRING("digest", record->digest),
                           SD_JSON_BUILD_PAIR_VARIANT("job", record->job),
                           SD_JSON_BUILD_PAIR_UNSIGNED("realtimeUSec", record->realtime_usec),
                           SD_JSON_BUILD_PAIR_UNSIGNED("held", record->n_held),
                           SD_JSON_BUILD_PAIR_UNSIGNED("skipped", record->n_skipped));
    if (r >= 0)
        r = sd_json_variant_dump(json, SD_JSON_FORMAT_NEWLINE, file, NULL);
    if (r < 0)
        return r;
    return fflush(file) == 0 ? 0 : -errno;
}

int record_write(const char *path, const struct record *record)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    _cleanup_free_ char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    _cleanup_free_ char *new = NULL;
    _cleanup_close_ int dir = -EBADF;
    int fd;

    if (!parent || asprintf(&new, ".%s.new", name) < 0)
        return -ENOMEM;
    dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    if (!is_roots_alone(dir, S_IFDIR))
        return -EPERM;
    (void)unlinkat(dir, new, 0); /* of a check that was killed */
    fd = openat(dir, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    int r = print(fd, record);
    if (r == 0 && renameat(dir, new, dir, name) < 0)
        r = -errno;
    if (r < 0)
        (void)unlinkat(dir, new, 0);
    return r;
}
