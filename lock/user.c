/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lock/user.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

void lock_user_done(struct lock_user *user)
{
    cleanup_strvp(&user->names);
    free(user->lines);
    *user = (struct lock_user){ 0 };
}

static int add_name(struct lock_user *user, const char *name)
{
    size_t n = 0;

    while (user->names && user->names[n])
        n++;
    char **names = reallocarray(user->names, n + 2, sizeof *names);
    if (!names)
        return -ENOMEM;
    user->names = names;
    names[n] = strdup(name);
    names[n + 1] = NULL;
    return names[n] ? 0 : -ENOMEM;
}

/* 1 when there is one. */
static int find(FILE *passwd, const char *name, struct lock_user *user)
{
    for (struct passwd *entry; (entry = fgetpwent(passwd));) {
        if (strchr("+-", entry->pw_name[0]) || (name && strcmp(entry->pw_name, name) != 0))
            continue;
        user->uid = entry->pw_uid;
        user->gid = entry->pw_gid;
        return add_name(user, entry->pw_name) < 0 ? -ENOMEM : 1;
    }
    return 0;
}

static int collect(FILE *passwd, struct lock_user *user, FILE *lines)
{
    for (struct passwd *entry; (entry = fgetpwent(passwd));) {
        if (strchr("+-", entry->pw_name[0]) || entry->pw_uid != user->uid)
            continue;
        if (putpwent(entry, lines) != 0)
            return -ENOMEM;
        if (strcmp(entry->pw_name, user->names[0]) != 0 && add_name(user, entry->pw_name) < 0)
            return -ENOMEM;
    }
    return 0;
}

int lock_user_read(FILE *passwd, const char *name, struct lock_user *ret)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    size_t size;
    int r = find(passwd, name, &user);

    if (r <= 0)
        return r;
    FILE *lines = open_memstream(&user.lines, &size);
    if (!lines)
        return -ENOMEM;
    rewind(passwd);
    r = collect(passwd, &user, lines);
    if (fclose(lines) != 0 && r == 0)
        r = -ENOMEM;
    if (r < 0)
        return r;
    *ret = user;
    user = (struct lock_user){ 0 };
    return 1;
}

int lock_user_in_force(struct lock_user *ret)
{
    _cleanup_fclose_ FILE *file = fopen(LOCK_USER_FILE, "re");

    if (!file)
        return errno == ENOENT ? 0 : -errno;
    return lock_user_read(file, NULL, ret);
}

static bool is_owner(const char *owner, const struct lock_user *user)
{
    char number[16];

    for (char **name = user->names; *name; name++)
        if (strcmp(owner, *name) == 0)
            return true;
    (void)snprintf(number, sizeof number, "%u", user->uid);
    return strcmp(owner, number) == 0;
}

static bool is_in(const struct config_id_range *ids, size_t n, uint32_t start, uint32_t count)
{
    for (size_t i = 0; i < n; i++)
        if (start >= ids[i].start && start - ids[i].start <= ids[i].count &&
            count <= ids[i].count - (start - ids[i].start))
            return true;
    return false;
}

/* subuid(5): OWNER:START:COUNT. The same ids may stand there for the name and for the uid. */
int lock_user_ranges_in(const struct lock_user *user, FILE *file, struct config_id_range **ids,
                        size_t *n)
{
    _cleanup_free_ char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, file) > 0) {
        char owner[64];
        uint32_t start, count;

        if (sscanf(line, "%63[^:]:%" SCNu32 ":%" SCNu32, owner, &start, &count) != 3 ||
            !is_owner(owner, user))
            continue;
        if (count > UINT32_MAX - start)
            count = UINT32_MAX - start;
        if (count == 0 || is_in(*ids, *n, start, count))
            continue;
        struct config_id_range *list = reallocarray(*ids, *n + 1, sizeof *list);
        if (!list)
            return -ENOMEM;
        *ids = list;
        list[(*n)++] = (struct config_id_range){ start, count };
    }
    return 0;
}

int lock_user_ranges(const struct lock_user *user, unsigned which, struct config_id_range **ids,
                     size_t *n)
{
    static const char *const files[] = { "/etc/subuid", "/etc/subgid" };

    for (unsigned i = 0; i < 2; i++) {
        _cleanup_fclose_ FILE *file = NULL;
        int r;

        if (!(which & (1U << i)))
            continue;
        file = fopen(files[i], "re");
        if (!file && errno != ENOENT)
            return -errno;
        r = file ? lock_user_ranges_in(user, file, ids, n) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}
