/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/subid.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/subid-file.h"
#include "nss/subid-owner.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define _cleanup_subid_file_ _cleanup_(subid_file_close)

/* Where a type of id is written down. */
struct source {
    const char *sandboxes;
    const char *others;
};

static const struct source *source_of(enum subid_type type)
{
    static const struct source uids = { NSS_SUBUID_FILE, "/etc/subuid" };
    static const struct source gids = { NSS_SUBGID_FILE, "/etc/subgid" };
    return type == ID_TYPE_UID ? &uids : type == ID_TYPE_GID ? &gids : NULL;
}

static const char *owner_path(const struct owner *owner, const struct source *source)
{
    return owner->sandbox ? source->sandboxes : source->others;
}

struct ranges {
    struct subid_range *items;
    size_t n;
};

static void ranges_done(struct ranges *ranges)
{
    free(ranges->items);
}

#define _cleanup_ranges_ _cleanup_(ranges_done)

static int ranges_add(struct ranges *ranges, const struct subid_line *line)
{
    struct subid_range *grown = reallocarray(ranges->items, ranges->n + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    grown[ranges->n++] = (struct subid_range){ .start = line->start, .count = line->count };
    ranges->items = grown;
    return 0;
}

static bool has_id_of(const struct subid_line *line, const struct subid_range *range)
{
    return line->start < range->start + range->count &&
           range->start < (unsigned long)line->start + line->count;
}

/* Another name of the owner's uid has the same ranges when it comes to using them, not to listing
 * them: that difference is shadow's (find_range() and list_owner_ranges()). So with within set,
 * only the ranges with an id of it are read, and aliases count. */
static int ranges_read(struct ranges *ranges, const char *path, const struct owner *owner,
                       const struct subid_range *within)
{
    _cleanup_subid_file_ struct subid_file file;
    struct subid_line line;
    int r = subid_file_open(&file, path);
    if (r < 0)
        return r;
    while ((r = subid_file_next(&file, &line)) > 0) {
        bool his = within ? has_id_of(&line, within) &&
                                (owner_has(owner, &line) || owner_has_by_alias(owner, &line))
                          : owner_has(owner, &line);
        r = his ? ranges_add(ranges, &line) : 0;
        if (r < 0)
            return r;
    }
    return r;
}

/* Whether the ranges together have every id of whole. */
static bool ranges_cover(const struct ranges *ranges, const struct subid_range *whole)
{
    unsigned long next = whole->start, end = whole->start + whole->count;
    bool moved = true;
    while (next < end && moved) {
        moved = false;
        for (size_t i = 0; i < ranges->n; i++) {
            const struct subid_range *range = ranges->items + i;
            if (range->start <= next && next < range->start + range->count) {
                next = range->start + range->count;
                moved = true;
            }
        }
    }
    return next >= end;
}

int subid_has_range(const char *text, unsigned long start, unsigned long count,
                    enum subid_type type, bool *ret)
{
    const struct source *source = source_of(type);
    const struct subid_range whole = { .start = start, .count = count };
    _cleanup_owner_ struct owner owner = { 0 };
    _cleanup_ranges_ struct ranges ranges = { 0 };

    *ret = false;
    if (!source)
        return -EINVAL;
    if (count == 0 || start > UINT_MAX || count > UINT_MAX - start)
        return 0;
    int r = owner_resolve(&owner, text);
    if (r == 0)
        r = ranges_read(&ranges, owner_path(&owner, source), &owner, &whole);
    if (r == 0)
        *ret = ranges_cover(&ranges, &whole);
    return r;
}

int subid_list_ranges(const char *text, enum subid_type type, struct subid_range **ret, size_t *n)
{
    const struct source *source = source_of(type);
    _cleanup_owner_ struct owner owner = { 0 };
    _cleanup_ranges_ struct ranges ranges = { 0 };

    *ret = NULL;
    *n = 0;
    if (!source)
        return -EINVAL;
    int r = owner_resolve(&owner, text);
    if (r == 0)
        r = ranges_read(&ranges, owner_path(&owner, source), &owner, NULL);
    if (r < 0)
        return r;
    *n = ranges.n;
    *ret = steal_ptr(ranges.items);
    return 0;
}

struct uids {
    uid_t *items;
    size_t n;
};

static void uids_done(struct uids *uids)
{
    free(uids->items);
}

#define _cleanup_uids_ _cleanup_(uids_done)

static int uids_add(struct uids *uids, uid_t uid)
{
    for (size_t i = 0; i < uids->n; i++)
        if (uids->items[i] == uid)
            return 0;
    uid_t *grown = reallocarray(uids->items, uids->n + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    grown[uids->n++] = uid;
    uids->items = grown;
    return 0;
}

static int uids_read(struct uids *uids, const char *path, bool sandboxes, unsigned long id)
{
    _cleanup_subid_file_ struct subid_file file;
    struct subid_line line;
    int r = subid_file_open(&file, path);
    if (r < 0)
        return r;
    while ((r = subid_file_next(&file, &line)) > 0) {
        uid_t uid;
        if (id < line.start || id - line.start >= line.count)
            continue;
        r = owner_uid_of_line(&line, sandboxes, &uid);
        if (r == 0)
            r = uids_add(uids, uid);
        if (r < 0 && r != -ENOENT)
            return r;
    }
    return r;
}

int subid_find_owners(unsigned long id, enum subid_type type, uid_t **ret, size_t *n)
{
    const struct source *source = source_of(type);
    _cleanup_uids_ struct uids uids = { 0 };

    *ret = NULL;
    *n = 0;
    if (!source)
        return -EINVAL;
    int r = uids_read(&uids, source->sandboxes, true, id);
    if (r == 0)
        r = uids_read(&uids, source->others, false, id);
    if (r < 0)
        return r;
    *n = uids.n;
    *ret = steal_ptr(uids.items);
    return 0;
}
