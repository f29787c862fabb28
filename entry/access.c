/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/access.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

#define NAMES_AGE_USEC 1000000

static uint64_t now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void report_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, SD_ERR "%s:%u: %s\n", file, line, message);
}

void access_done(struct access *access)
{
    config_free(access->config);
    free(access->grants);
    *access = (struct access){ 0 };
}

/* A name that nobody has is not an error: the user may be made later. */
static bool find_id(const char *name, bool is_group, uint32_t *ret)
{
    _cleanup_free_ char *buffer = malloc(1 << 20); /* a group's members are in it, too */
    struct passwd user, *found_user = NULL;
    struct group group, *found_group = NULL;

    if (!buffer)
        return false;
    if (is_group) {
        if (getgrnam_r(name, &group, buffer, 1 << 20, &found_group) != 0 || !found_group)
            return false;
        *ret = found_group->gr_gid;
        return true;
    }
    if (getpwnam_r(name, &user, buffer, 1 << 20, &found_user) != 0 || !found_user)
        return false;
    *ret = found_user->pw_uid;
    return true;
}

static int add_grants(struct access *access, const struct config_sandbox *sandbox,
                      char *const *names, bool is_group)
{
    for (; *names; names++) {
        struct access_grant *grants;
        uint32_t id;

        if (!find_id(*names, is_group, &id))
            continue;
        grants = reallocarray(access->grants, access->n_grants + 1, sizeof *grants);
        if (!grants)
            return -ENOMEM;
        access->grants = grants;
        grants[access->n_grants++] = (struct access_grant){ sandbox, is_group, id };
    }
    return 0;
}

static int resolve(struct access *access)
{
    int r = 0;

    access->n_grants = 0;
    for (size_t i = 0; r == 0 && access->config && i < access->config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &access->config->sandboxes[i];

        r = add_grants(access, sandbox, sandbox->allow_users, false);
        if (r == 0)
            r = add_grants(access, sandbox, sandbox->allow_groups, true);
    }
    access->resolved_usec = now_usec();
    return r;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int refresh(struct access *access, const char *root, bool again)
{
    _cleanup_free_ char *path = NULL;
    struct stat now = { 0 };
    int r;

    if (asprintf(&path, "%s%s", root, SNAPSHOT_FILE) < 0)
        return -ENOMEM;
    /* Before it is read: what replaces it meanwhile is another file. */
    if (stat(path, &now) < 0 && errno != ENOENT)
        return -errno;
    if (!access->config || !is_same(&now, &access->seen)) {
        access_done(access);
        r = config_load_snapshot(root, report_problem, NULL, &access->config);
        if (r < 0)
            return r == -ENOENT ? 0 : r;
        access->seen = now;
        return resolve(access);
    }
    if (again && now_usec() - access->resolved_usec >= NAMES_AGE_USEC)
        return resolve(access);
    return 0;
}

int access_refresh(struct access *access, const char *root, bool again)
{
    int r = refresh(access, root, again);
    if (r < 0)
        access_done(access);
    return r;
}

static bool is_sandbox(const struct config *config, uid_t uid)
{
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];

        if (sandbox->uid == uid || uid - sandbox->subids.start < sandbox->subids.count)
            return true;
    }
    return false;
}

static bool has_group(const struct caller *caller, gid_t gid)
{
    for (size_t i = 0; i < caller->n_groups; i++)
        if (caller->groups[i] == gid)
            return true;
    return false;
}

/* sandbox: NULL for any. */
static bool may_enter(const struct access *access, struct caller *caller,
                      const struct config_sandbox *sandbox)
{
    if (!access->config || is_sandbox(access->config, caller->uid))
        return false;
    if (caller->uid == 0)
        return true;
    for (size_t i = 0; i < access->n_grants; i++) {
        const struct access_grant *grant = &access->grants[i];

        if (sandbox && grant->sandbox != sandbox)
            continue;
        if (grant->is_group ? has_group(caller, grant->id) && caller_is_user(caller)
                            : grant->id == caller->uid)
            return true;
    }
    return false;
}

bool access_may_enter(const struct access *access, struct caller *caller,
                      const struct config_sandbox *sandbox)
{
    return may_enter(access, caller, sandbox);
}

bool access_may_enter_any(const struct access *access, struct caller *caller)
{
    return caller->uid == 0 || may_enter(access, caller, NULL);
}
