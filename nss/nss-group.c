/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NSS_GROUP_FILE has two kinds of line (nss/users.h): a sandbox's own group, with no member, and a
 * membership, which names a group of /etc/group and one member. The first are groups of ours; the
 * second are for initgroups alone, as /etc/group has the say on its own groups. */

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-file.h"
#include "nss/nss-sandbox.h"
#include "nss/nss-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_group(FILE *stream, void *entry, char *buffer, size_t size)
{
    struct group *ignored;
    return fgetgrent_r(stream, entry, buffer, size, &ignored);
}

static bool is_own_group(const void *entry)
{
    const struct group *g = entry;
    return nss_name_is_plain(g->gr_name) && g->gr_gid >= NSS_ID_MIN && g->gr_gid != (gid_t)-1 &&
           !g->gr_mem[0] && g->gr_passwd && strcmp(g->gr_passwd, "x") == 0;
}

/* A group of the system's is right here, root's is not. */
static bool is_membership(const void *entry)
{
    const struct group *g = entry;
    return nss_name_is_plain(g->gr_name) && g->gr_gid != 0 && g->gr_gid != (gid_t)-1 &&
           g->gr_mem[0];
}

static const struct nss_table own_groups = {
    .path = NSS_GROUP_FILE,
    .read = read_group,
    .answerable = is_own_group,
};

static const struct nss_table memberships = {
    .path = NSS_GROUP_FILE,
    .read = read_group,
    .answerable = is_membership,
};

static struct nss_cursor cursor = { .table = &own_groups, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool has_name(const void *entry, const void *name)
{
    return strcmp(((const struct group *)entry)->gr_name, name) == 0;
}

static bool has_gid(const void *entry, const void *gid)
{
    return ((const struct group *)entry)->gr_gid == *(const gid_t *)gid;
}

enum nss_status _nss_sandbox_getgrnam_r(const char *name, struct group *entry, char *buffer,
                                        size_t size, int *errnop)
{
    return nss_table_find(&own_groups, has_name, name, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_getgrgid_r(gid_t gid, struct group *entry, char *buffer, size_t size,
                                        int *errnop)
{
    if (gid < NSS_ID_MIN)
        return NSS_STATUS_NOTFOUND;
    return nss_table_find(&own_groups, has_gid, &gid, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_setgrent(int stayopen)
{
    (void)stayopen;
    return nss_cursor_rewind(&cursor);
}

enum nss_status _nss_sandbox_getgrent_r(struct group *entry, char *buffer, size_t size, int *errnop)
{
    return nss_cursor_next(&cursor, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_endgrent(void)
{
    return nss_cursor_end(&cursor);
}

static bool has_member(const struct group *g, const char *user)
{
    for (char **member = g->gr_mem; *member; member++)
        if (strcmp(*member, user) == 0)
            return true;
    return false;
}

/* A caller's list of groups, as initgroups_dyn gets it. */
struct group_list {
    gid_t **gids;
    long int *n;
    long int *size;
    long int limit; /* 0 or less: none */
};

static bool list_is_full(const struct group_list *list)
{
    return list->limit > 0 && *list->n >= list->limit;
}

static int list_add(const struct group_list *list, gid_t gid)
{
    for (long int i = 0; i < *list->n; i++)
        if ((*list->gids)[i] == gid)
            return 0;
    if (*list->n >= *list->size) {
        long int size = *list->size > 0 ? 2 * *list->size : 16;
        if (list->limit > 0 && size > list->limit)
            size = list->limit;
        gid_t *grown = reallocarray(*list->gids, (size_t)size, sizeof(gid_t));
        if (!grown)
            return ENOMEM;
        *list->gids = grown;
        *list->size = size;
    }
    (*list->gids)[(*list->n)++] = gid;
    return 0;
}

/* 0 when there was one, ENOENT when there was none, or another errno. */
static int add_memberships(const char *user, gid_t primary, const struct group_list *list)
{
    /* A membership is one line with two names: one that does not fit is none of ours. */
    char buffer[1024];
    struct group g;
    bool any = false;
    _cleanup_fclose_ FILE *stream = nss_file_open(NSS_GROUP_FILE);
    if (!stream)
        return errno;

    while (!list_is_full(list)) {
        int error = nss_table_next(&memberships, stream, &g, buffer, sizeof buffer);
        if (error == ENOENT)
            break;
        if (error == ERANGE) {
            /* The reader went back to the start of this line, where it would stay. */
            for (int c = 0; c != '\n' && c != EOF;)
                c = getc_unlocked(stream);
            continue;
        }
        if (error == 0 && g.gr_gid != primary && has_member(&g, user)) {
            any = true;
            error = list_add(list, g.gr_gid);
        }
        if (error != 0)
            return error;
    }
    return any ? 0 : ENOENT;
}

enum nss_status _nss_sandbox_initgroups_dyn(const char *user, gid_t group, long int *n_groups,
                                            long int *size, gid_t **groups, long int limit,
                                            int *errnop)
{
    const struct group_list list = { .gids = groups, .n = n_groups, .size = size, .limit = limit };
    int saved = errno;
    int error = add_memberships(user, group, &list);
    errno = saved;
    return nss_table_status(error, errnop);
}
