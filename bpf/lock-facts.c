/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/lock-facts.h"

#include <errno.h>
#include <grp.h>
#include <string.h>

#include "bpf/place.h"
#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/process.h"
#include "lock/user.h"

void lock_facts_done(struct lock_facts *facts)
{
    free(facts->name);
    free(facts->ids);
    free(facts->groups);
    free(facts->set_id);
    *facts = (struct lock_facts){ 0 };
}

static int read_groups(struct lock_facts *facts)
{
    _cleanup_fclose_ FILE *file = fopen("/etc/group", "re");

    if (!file)
        return -errno;
    for (const struct group *group; (group = fgetgrent(file));) {
        if (!config_group_is_root_by(group->gr_name) && group->gr_gid != 0)
            continue;
        gid_t *list = reallocarray(facts->groups, facts->lock.n_groups + 1, sizeof *list);
        if (!list)
            return -ENOMEM;
        facts->groups = list;
        list[facts->lock.n_groups++] = group->gr_gid;
    }
    return 0;
}

/* A program that is not installed gives nobody privilege. */
static int find_programs(char *const *paths, struct lock_facts *facts)
{
    size_t n = 0;

    while (paths[n])
        n++;
    facts->set_id = calloc(n + 1, sizeof *facts->set_id);
    if (!facts->set_id)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int r = place_find(paths[i], &facts->set_id[facts->lock.n_set_id]);
        if (r < 0 && r != -ENOENT)
            return r;
        facts->lock.n_set_id += r == 0;
    }
    return 0;
}

static int find_reader(const struct config *config, struct lock_facts *facts)
{
    uint64_t started;
    pid_t pid;
    int r;

    if (!config->host.reads_exempt)
        return 0;
    r = process_find(config->host.reads_exempt, facts->lock.uid, &pid, &started);
    if (r == 1) {
        facts->lock.reader = pid;
        facts->lock.reader_started = started;
    }
    return r < 0 ? r : 0;
}

static int read_all(const struct config *config, const struct lock_user *user,
                    struct lock_facts *facts, const char **what)
{
    int r;

    facts->lock.uid = user->uid;
    facts->gid = user->gid;
    facts->name = strdup(user->names[0]);
    if (!facts->name)
        return -ENOMEM;
    *what = "/etc/subuid and /etc/subgid";
    r = lock_user_ranges(user, LOCK_SUBUIDS | LOCK_SUBGIDS, &facts->ids, &facts->lock.n_ids);
    if (r == 0) {
        *what = "/etc/group";
        r = read_groups(facts);
    }
    if (r == 0) {
        *what = "programs of lock-allow-set-id";
        r = find_programs(config->host.lock_allow_set_id, facts);
    }
    if (r == 0) {
        *what = "the process of reads-exempt";
        r = find_reader(config, facts);
    }
    facts->lock.ids = facts->ids;
    facts->lock.groups = facts->groups;
    facts->lock.set_id = facts->set_id;
    return r;
}

int lock_facts_read(const struct config *config, struct lock_facts *ret, const char **what)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    _cleanup_(lock_facts_done) struct lock_facts facts = { 0 };
    int r;

    *what = LOCK_USER_FILE;
    r = config->host.lock_user ? lock_user_in_force(&user) : 0;
    if (r > 0)
        r = read_all(config, &user, &facts, what);
    if (r < 0)
        return r;
    *ret = facts;
    facts = (struct lock_facts){ 0 };
    return 0;
}
