/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/check.h"
#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/ranges.h"
#include "conf/root.h"
#include "conf/rules.h"
#include "conf/types.h"

/* A user or a group of the host's files. */
struct account {
    char *name;
    uint32_t id;
    const char *root_by; /* groups: how this, or another of the same id, is root */
};

struct accounts {
    struct account *list;
    size_t n, size;
};

struct host {
    int root_fd;
    struct accounts users, groups; /* sorted by name */
    struct ranges ranges;
    struct problems *problems;
};

static void accounts_done(struct accounts *accounts)
{
    for (size_t i = 0; i < accounts->n; i++)
        free(accounts->list[i].name);
    free(accounts->list);
}

static void host_done(struct host *host)
{
    accounts_done(&host->users);
    accounts_done(&host->groups);
    ranges_done(&host->ranges);
}

static int add_account(struct accounts *accounts, const char *name, uint32_t id,
                       const char *root_by)
{
    if (accounts->n == accounts->size) {
        const size_t size = accounts->size ? accounts->size * 2 : 64;
        struct account *list = reallocarray(accounts->list, size, sizeof *list);
        if (!list)
            return -ENOMEM;
        accounts->list = list;
        accounts->size = size;
    }
    struct account *account = &accounts->list[accounts->n];
    *account = (struct account){ .name = strdup(name), .id = id, .root_by = root_by };
    if (!account->name)
        return -ENOMEM;
    accounts->n++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct account *)a)->name, ((const struct account *)b)->name);
}

static int by_id(const void *a, const void *b)
{
    const struct account *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static const struct account *find_account(const struct accounts *accounts, const char *name)
{
    const struct account key = { .name = (char *)name };

    return accounts->n == 0 ? NULL
                            : bsearch(&key, accounts->list, accounts->n, sizeof key, by_name);
}

static int add_range(struct host *host, const char *owner, uint32_t first, uint32_t last,
                     const char *source)
{
    struct range range = { .first = first, .last = last, .source = source };

    (void)snprintf(range.owner, sizeof range.owner, "%s", owner);
    return ranges_add(&host->ranges, &range);
}

/* A file that is missing has no entries. Another error is reported, as a look at a part of the host
 * is none. */
static FILE *open_file(struct host *host, const char *path)
{
    int fd = root_open_at(host->root_fd, path, O_RDONLY | O_NOCTTY, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "re") : NULL;

    if (!file && fd != -ENOENT)
        problem(host->problems, path, 0, "cannot be read: %s", strerror(fd < 0 ? -fd : errno));
    return file;
}

static int read_users(struct host *host, const char *path)
{
    _cleanup_fclose_ FILE *file = open_file(host, path);
    int r = 0;

    /* fgetpwent(3) reads this file; it asks no NSS. */
    for (struct passwd *user; r == 0 && file && (user = fgetpwent(file));) {
        if (strchr("+-", user->pw_name[0])) /* nsswitch.conf(5), compat */
            continue;
        r = add_account(&host->users, user->pw_name, user->pw_uid, NULL);
        if (r == 0)
            r = add_range(host, user->pw_name, user->pw_uid, user->pw_uid, path);
        if (r == 0)
            r = add_range(host, user->pw_name, user->pw_gid, user->pw_gid, path);
    }
    if (host->users.n > 0)
        qsort(host->users.list, host->users.n, sizeof *host->users.list, by_name);
    return r;
}

static int read_groups(struct host *host, const char *path)
{
    _cleanup_fclose_ FILE *file = open_file(host, path);
    struct accounts *groups = &host->groups;
    int r = 0;

    for (struct group *group; r == 0 && file && (group = fgetgrent(file));) {
        if (strchr("+-", group->gr_name[0]))
            continue;
        r = add_account(groups, group->gr_name, group->gr_gid,
                        config_group_is_root_by(group->gr_name));
        if (r == 0)
            r = add_range(host, group->gr_name, group->gr_gid, group->gr_gid, path);
    }
    if (groups->n == 0)
        return r;

    /* Two groups of one id are one group. */
    qsort(groups->list, groups->n, sizeof *groups->list, by_id);
    for (size_t i = 0, next; i < groups->n; i = next) {
        const char *root_by = groups->list[i].id == 0 ? config_group_is_root_by("root") : NULL;

        for (next = i; next < groups->n && groups->list[next].id == groups->list[i].id; next++)
            if (groups->list[next].root_by)
                root_by = groups->list[next].root_by;
        for (size_t same = i; same < next; same++)
            groups->list[same].root_by = root_by;
    }
    qsort(groups->list, groups->n, sizeof *groups->list, by_name);
    return r;
}

/* subuid(5): OWNER:START:COUNT. What shadow's own tools cannot read gives nobody ids. */
static int read_subids(struct host *host, const char *path)
{
    _cleanup_fclose_ FILE *file = open_file(host, path);
    _cleanup_free_ char *line = NULL;
    size_t size = 0;
    int r = 0;

    while (r == 0 && file && getline(&line, &size, file) > 0) {
        char *rest = line, *owner = strsep(&rest, ":"), *start = strsep(&rest, ":");
        uint64_t first, count;

        if (rest)
            rest[strcspn(rest, "\n")] = '\0';
        if (!start || !rest || parse_number(start, UINT32_MAX, &first) < 0 ||
            parse_number(rest, UINT32_MAX, &count) < 0 || count == 0)
            continue;
        if (count > UINT32_MAX - first)
            count = UINT32_MAX - first;
        r = add_range(host, owner, (uint32_t)first, (uint32_t)(first + count - 1), path);
    }
    return r;
}

static void check_names(const struct config *config, const struct config_sandbox *sandbox,
                        struct host *host)
{
    const struct account *user = find_account(&host->users, sandbox->name);
    const struct account *group = find_account(&host->groups, sandbox->name);

    if (user)
        problem_at_section(config, sandbox, host->problems,
                           "user \"%s\" is in /etc/passwd already, with uid %u; choose another "
                           "name, or remove that user",
                           sandbox->name, user->id);
    else if (group)
        problem_at_section(config, sandbox, host->problems,
                           "group \"%s\" is in /etc/group already, with gid %u; choose another "
                           "name, or remove that group",
                           sandbox->name, group->id);
}

static void check_groups(const struct config *config, const struct config_sandbox *sandbox,
                         struct host *host)
{
    for (size_t i = 0; sandbox->groups[i]; i++) {
        const char *name = sandbox->groups[i];
        const struct account *group = find_account(&host->groups, name);

        if (!group)
            problem_at(config, sandbox, &sandbox->groups, i, host->problems,
                       "there is no group \"%s\" in /etc/group; remove it, or create the group "
                       "(groupadd --system %s)",
                       name, name);
        else if (group->root_by)
            problem_at(config, sandbox, &sandbox->groups, i, host->problems,
                       "\"%s\" has the id of a group that is root by another name (%u): it %s; "
                       "remove it",
                       name, group->id, group->root_by);
    }
}

static void check_lock_user(const struct config *config, struct host *host)
{
    const struct account *user = find_account(&host->users, config->host.lock_user);

    if (!user)
        problem_at(config, NULL, &config->host.lock_user, 0, host->problems,
                   "there is no user \"%s\" in /etc/passwd; remove the line, or create the user",
                   config->host.lock_user);
    else if (user->id == 0)
        problem_at(config, NULL, &config->host.lock_user, 0, host->problems,
                   "\"%s\" has root's uid, and cannot be kept from being root; name another user",
                   config->host.lock_user);
}

/* Files in a home stay when its sandbox goes, and must not become another's. */
static void check_home(const struct config *config, const struct config_sandbox *sandbox,
                       int homes_fd, struct host *host)
{
    struct stat st;

    if (homes_fd < 0 || sandbox->uid == 0)
        return;
    if (fstatat(homes_fd, sandbox->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno != ENOENT)
            problem_at(config, sandbox, &sandbox->uid, 0, host->problems,
                       "its home %s/%s cannot be looked at: %s", STATE_HOME_DIR, sandbox->name,
                       strerror(errno));
    } else if (!S_ISDIR(st.st_mode))
        problem_at(config, sandbox, &sandbox->uid, 0, host->problems,
                   "its home %s/%s is not a directory; move it away", STATE_HOME_DIR,
                   sandbox->name);
    else if (st.st_uid != sandbox->uid)
        problem_at(config, sandbox, &sandbox->uid, 0, host->problems,
                   "its home %s/%s belongs to uid %u; write uid = %u, or move the home away",
                   STATE_HOME_DIR, sandbox->name, st.st_uid, st.st_uid);
}

int check_host(const struct config *config, int root_fd, struct problems *problems)
{
    _cleanup_(host_done) struct host host = { .root_fd = root_fd, .problems = problems };
    _cleanup_close_ int homes_fd = root_open_at(root_fd, STATE_HOME_DIR, O_PATH | O_DIRECTORY, 0);
    int r;

    r = read_users(&host, "/etc/passwd");
    if (r == 0)
        r = read_groups(&host, "/etc/group");
    if (r == 0)
        r = read_subids(&host, "/etc/subuid");
    if (r == 0)
        r = read_subids(&host, "/etc/subgid");
    if (r == 0)
        r = ranges_add_config(&host.ranges, config);
    if (r < 0)
        return r;

    if (config->host.lock_user)
        check_lock_user(config, &host);
    if (homes_fd < 0 && homes_fd != -ENOENT)
        problem(problems, STATE_HOME_DIR, 0, "cannot be opened: %s", strerror(-homes_fd));
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        check_names(config, &config->sandboxes[i], &host);
        check_groups(config, &config->sandboxes[i], &host);
        check_home(config, &config->sandboxes[i], homes_fd, &host);
    }
    ranges_check(&host.ranges, config, problems);
    return 0;
}
