/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reaper/sandboxes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"

static int compare_uids(const void *a, const void *b)
{
    uid_t x = *(const uid_t *)a, y = *(const uid_t *)b;

    return (x > y) - (x < y);
}

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

int sandboxes_refresh(struct sandboxes *sandboxes)
{
    struct stat now;

    if (stat(SNAPSHOT_FILE, &now) < 0)
        return -errno;
    if (is_same_file(&now, &sandboxes->seen))
        return 0;

    _cleanup_(config_freep) struct config *config = NULL;
    int r = config_load_snapshot("", ignore_problem, NULL, &config);
    if (r < 0)
        return r;

    uid_t *uids = calloc(config->n_sandboxes ? config->n_sandboxes : 1, sizeof(uid_t));
    if (!uids)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_sandboxes; i++)
        uids[i] = config->sandboxes[i].uid;
    qsort(uids, config->n_sandboxes, sizeof(uid_t), compare_uids);

    free(sandboxes->uids);
    *sandboxes = (struct sandboxes){ .uids = uids, .n_uids = config->n_sandboxes, .seen = now };
    return 0;
}

bool sandboxes_contain(const struct sandboxes *sandboxes, uid_t uid)
{
    return sandboxes->n_uids > 0 &&
           bsearch(&uid, sandboxes->uids, sandboxes->n_uids, sizeof(uid_t), compare_uids);
}

void sandboxes_done(struct sandboxes *sandboxes)
{
    free(sandboxes->uids);
    *sandboxes = (struct sandboxes){ 0 };
}
