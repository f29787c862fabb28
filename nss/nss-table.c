/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/nss-table.h"

#include "conf/cleanup.h"
#include "nss/nss-file.h"

#include <errno.h>

int nss_table_next(const struct nss_table *table, FILE *stream, void *entry, char *buffer,
                   size_t size)
{
    for (;;) {
        int error = table->read(stream, entry, buffer, size);
        if (error != 0)
            return error;
        /* At the end of the file after a whole entry, not before the next: its line has no newline
         * and was not written to its end. */
        if (!feof_unlocked(stream) && table->answerable(entry))
            return 0;
    }
}

enum nss_status nss_table_status(int error, int *errnop)
{
    switch (error) {
    case 0:
        return NSS_STATUS_SUCCESS;
    case ENOENT:
    case ENOTDIR:
        return NSS_STATUS_NOTFOUND;
    case ERANGE:
        *errnop = ERANGE;
        return NSS_STATUS_TRYAGAIN;
    default:
        *errnop = error;
        return NSS_STATUS_UNAVAIL;
    }
}

static int find(const struct nss_table *table, bool (*matches)(const void *entry, const void *key),
                const void *key, void *entry, char *buffer, size_t size)
{
    _cleanup_fclose_ FILE *stream = nss_file_open(table->path);
    if (!stream)
        return errno;

    int error;
    do
        error = nss_table_next(table, stream, entry, buffer, size);
    while (error == 0 && !matches(entry, key));
    return error;
}

enum nss_status nss_table_find(const struct nss_table *table,
                               bool (*matches)(const void *entry, const void *key), const void *key,
                               void *entry, char *buffer, size_t size, int *errnop)
{
    int saved = errno;
    int error = find(table, matches, key, entry, buffer, size);
    errno = saved;
    return nss_table_status(error, errnop);
}

static void cursor_close(struct nss_cursor *cursor)
{
    if (cursor->stream)
        fclose(cursor->stream);
    cursor->stream = NULL;
}

static int cursor_open(struct nss_cursor *cursor)
{
    cursor->stream = nss_file_open(cursor->table->path);
    return cursor->stream ? 0 : errno;
}

enum nss_status nss_cursor_rewind(struct nss_cursor *cursor)
{
    int saved = errno, ignored;
    pthread_mutex_lock(&cursor->lock);
    cursor_close(cursor);
    int error = cursor_open(cursor);
    pthread_mutex_unlock(&cursor->lock);
    errno = saved;
    return nss_table_status(error, &ignored);
}

enum nss_status nss_cursor_next(struct nss_cursor *cursor, void *entry, char *buffer, size_t size,
                                int *errnop)
{
    int saved = errno, error = 0;
    pthread_mutex_lock(&cursor->lock);
    if (!cursor->stream)
        error = cursor_open(cursor);
    if (error == 0)
        error = nss_table_next(cursor->table, cursor->stream, entry, buffer, size);
    pthread_mutex_unlock(&cursor->lock);
    errno = saved;
    return nss_table_status(error, errnop);
}

enum nss_status nss_cursor_end(struct nss_cursor *cursor)
{
    int saved = errno;
    pthread_mutex_lock(&cursor->lock);
    cursor_close(cursor);
    pthread_mutex_unlock(&cursor->lock);
    errno = saved;
    return NSS_STATUS_SUCCESS;
}
