/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/paths.h"
#include "nss/nss-file.h"
#include "nss/nss-sandbox.h"
#include "nss/nss-table.h"

#include <string.h>

static int read_shadow(FILE *stream, void *entry, char *buffer, size_t size)
{
    struct spwd *ignored;
    return fgetspent_r(stream, entry, buffer, size, &ignored);
}

/* Locked, whatever the file says: no password opens a sandbox. */
static bool answerable(const void *entry)
{
    const struct spwd *s = entry;
    return nss_name_is_plain(s->sp_namp) && s->sp_pwdp && s->sp_pwdp[0] == '!';
}

static const struct nss_table table = {
    .path = NSS_SHADOW_FILE,
    .read = read_shadow,
    .answerable = answerable,
};

static struct nss_cursor cursor = { .table = &table, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool has_name(const void *entry, const void *name)
{
    return strcmp(((const struct spwd *)entry)->sp_namp, name) == 0;
}

enum nss_status _nss_sandbox_getspnam_r(const char *name, struct spwd *entry, char *buffer,
                                        size_t size, int *errnop)
{
    return nss_table_find(&table, has_name, name, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_setspent(int stayopen)
{
    (void)stayopen;
    return nss_cursor_rewind(&cursor);
}

enum nss_status _nss_sandbox_getspent_r(struct spwd *entry, char *buffer, size_t size, int *errnop)
{
    return nss_cursor_next(&cursor, entry, buffer, size, errnop);
}

enum nss_status _nss_sandbox_endspent(void)
{
    return nss_cursor_end(&cursor);
}
