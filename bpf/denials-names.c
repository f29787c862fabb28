/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denials-names.h"

#include <stdbool.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/user.h"

/* The snapshot is exchanged by rename, so another file has another inode or time. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void ignore_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)file;
    (void)line;
    (void)message;
    (void)userdata;
}

static void refresh(struct denials_names *names)
{
    struct config *config;
    struct stat now;

    if (stat(SNAPSHOT_FILE, &now) < 0 || (names->config && is_same_file(&now, &names->seen)) ||
        config_load_snapshot("", ignore_problem, NULL, &config) < 0)
        return;
    config_free(names->config);
    names->config = config;
    names->seen = now;
}

/* Who is locked is denied things as well. Read each time, as denials are few. */
static const char *find_locked(struct denials_names *names, uid_t uid)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };

    if (lock_user_in_force(&user) <= 0 || user.uid != uid)
        return NULL;
    free(names->locked);
    names->locked = strdup(user.names[0]);
    return names->locked;
}

const char *denials_names_find(struct denials_names *names, uid_t uid)
{
    refresh(names);
    const struct config_sandbox *sandbox =
        names->config ? config_find_sandbox_by_uid(names->config, uid) : NULL;
    return sandbox ? sandbox->name : find_locked(names, uid);
}

void denials_names_done(struct denials_names *names)
{
    free(names->locked);
    config_free(names->config);
    *names = (struct denials_names){ 0 };
}
