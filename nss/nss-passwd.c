/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/paths.h"
#include "nss/nss-file.h"
#include "nss/nss-sandbox.h"
#include "nss/nss-table.h"

#include <string.h>

static int read_passwd(FILE *stream, void *entry, char *buffer, size_t size)
{
    struct passwd *ignored;
    return fgetpwent_r(stream, entry, buffer, size, &ignored);
}

/* What users_write() writes, and no more. glibc's reader takes a line that lost its end for a user;
 * a password that is not in shadow could be anybody's, or empty. */
static bool answerable(const void *entry)
{
    const struct passwd *p = entry;
    return p->pw_uid >= NSS_ID_MIN && p->pw_uid != (uid_t)-1 && p->pw_gid == p->pw_uid &&
           nss_name_is_plain(p->pw_name) && p->pw_passwd && strcmp(p->pw_passwd, "x") == 0 &&
           p->pw_dir && p->pw_dir[0] == '/' && p->pw_shell && p->pw_shell[0] == '/';
}

static const struct nss_table table = {
    .path = NSS_PASSWD_FILE,
    .read = read_passwd,
    .answerable = answerable,
};

static struct nss_cursor cursor = { .table = &table, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool has_name(const void *entry, const void *name)
{
    return strcmp(((const struct passwd *)entry)->pw_name, name) == 0;
}

static bool has_uid(const void *entry, const void *uid)
{
    return ((const struct passwd *)entry)->pw_uid == *(const uid_t *)uid;
}

enum nss_status _nss_sandbox_getpwnam_r(const char *name, struct passwd *entry, char *buffer,
                                        size_t size, int *errnop)
{
    return nss_table_find(&table, has_name, name, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                                        int *errnop)
{
    if (uid < NSS_ID_MIN)
        return NSS_STATUS_NOTFOUND;
    return nss_table_find(&table, has_uid, &uid, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_setpwent(int stayopen)
{
    (void)stayopen;
    return nss_cursor_rewind(&cursor);
}

enum nss_status _nss_sandbox_getpwent_r(struct passwd *entry, char *buffer, size_t size,
                                        int *errnop)
{
    return nss_cursor_next(&cursor, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_endpwent(void)
{
    return nss_cursor_end(&cursor);
}
