/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the look-ups in passwd, group and shadow have in common: a pass over a flat file with libc's
 * own reader of it. Each function returns an NSS status as glibc's manual ("NSS Module Function
 * Internals") asks for it:
 *
 *   SUCCESS   the entry is in the caller's structure and buffer; errno is as it was
 *   NOTFOUND  there is no such entry, or no such file: then nothing is in force, which is an answer
 *             and no failure, and other services go on; errno is as it was
 *   TRYAGAIN  *errnop is ERANGE: the caller's buffer is too small
 *   UNAVAIL   the file is there and cannot be read; *errnop says why
 */

#include <nss.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct nss_table {
    const char *path;
    /* The next well-formed entry. 0, ENOENT at the end, ERANGE with the position unchanged, or
     * another errno: what fgetpwent_r(3) and its like return. */
    int (*read)(FILE *stream, void *entry, char *buffer, size_t size);
    /* Whether an entry may be given out at all. */
    bool (*answerable)(const void *entry);
};

/* An enumeration. glibc has one a process for each database; so have we. */
struct nss_cursor {
    const struct nss_table *table;
    pthread_mutex_t lock;
    FILE *stream;
};

enum nss_status nss_table_find(const struct nss_table *table,
                               bool (*matches)(const void *entry, const void *key), const void *key,
                               void *entry, char *buffer, size_t size, int *errnop);

/* setXXent, getXXent_r and endXXent. An enumeration sees one state of the file from its first entry
 * to its last, also when the file is replaced meanwhile. */
enum nss_status nss_cursor_rewind(struct nss_cursor *cursor);
enum nss_status nss_cursor_next(struct nss_cursor *cursor, void *entry, char *buffer, size_t size,
                                int *errnop);
enum nss_status nss_cursor_end(struct nss_cursor *cursor);

/* The next entry of a stream that may be given out; returns what table->read() does. */
int nss_table_next(const struct nss_table *table, FILE *stream, void *entry, char *buffer,
                   size_t size);

/* The status of an errno that opening or reading ended with; sets *errnop if need be. */
enum nss_status nss_table_status(int error, int *errnop);
