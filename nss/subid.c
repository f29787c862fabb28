/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/subid.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-sandbox.h"
#include "nss/subid-file.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

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

/* Looks a user up, by name or, with name NULL, by uid: among the sandboxes, or wherever NSS finds
 * him. 0, -ENOENT, or another negative errno. ret_name may be NULL. */
static int look_up(bool sandboxes, const char *name, uid_t uid, uid_t *ret_uid, char **ret_name)
{
    _cleanup_free_ char *buffer = NULL;
    for (size_t size = 1024; size <= 1024 * 1024; size *= 2) {
        struct passwd entry, *found = NULL;
        int error = 0;
        free(buffer);
        buffer = malloc(size);
        if (!buffer)
            return -ENOMEM;
        if (sandboxes) {
            enum nss_status status =
                name ? _nss_sandbox_getpwnam_r(name, &entry, buffer, size, &error)
                     : _nss_sandbox_getpwuid_r(uid, &entry, buffer, size, &error);
            found = status == NSS_STATUS_SUCCESS ? &entry : NULL;
        } else {
            error = name ? getpwnam_r(name, &entry, buffer, size, &found)
                         : getpwuid_r(uid, &entry, buffer, size, &found);
        }
        if (error == ERANGE)
            continue;
        if (!found)
            /* getpwnam(3): ENOENT, ESRCH, EBADF and others mean "no such user" too. */
            return sandboxes && error != 0 ? -error : -ENOENT;
        *ret_uid = entry.pw_uid;
        return !ret_name || (*ret_name = strdup(entry.pw_name)) ? 0 : -ENOMEM;
    }
    return -ERANGE;
}

static int look_up_sandbox(const char *name, uid_t uid, uid_t *ret_uid, char **ret_name)
{
    return look_up(true, name, uid, ret_uid, ret_name);
}

static int look_up_anybody(const char *name, uid_t uid, uid_t *ret_uid, char **ret_name)
{
    return look_up(false, name, uid, ret_uid, ret_name);
}

/* Whose ranges are asked for. */
struct owner {
    bool sandbox;
    char *name;   /* NULL: a uid without a name */
    bool has_uid; /* false: a name without a uid */
    uid_t uid;
};

static void owner_done(struct owner *owner)
{
    free(owner->name);
}

#define _cleanup_owner_ _cleanup_(owner_done)

static int owner_resolve(const char *text, struct owner *ret)
{
    *ret = (struct owner){ 0 };
    uid_t uid = 0;
    bool numeric = subid_parse_uid(text, &uid);
    const char *name = numeric ? NULL : text;

    int r = look_up_sandbox(name, uid, &ret->uid, &ret->name);
    if (r != -ENOENT) {
        ret->sandbox = ret->has_uid = r == 0;
        return r;
    }
    r = look_up_anybody(name, uid, &ret->uid, &ret->name);
    if (r != -ENOENT) {
        ret->has_uid = r == 0;
        return r;
    }
    /* Nobody knows him: his lines are still his, as they are with shadow. */
    if (numeric) {
        ret->has_uid = true;
        ret->uid = uid;
    } else {
        ret->name = strdup(text);
        if (!ret->name)
            return -ENOMEM;
    }
    return 0;
}

static bool owner_has(const struct owner *owner, const struct subid_line *line)
{
    uid_t uid;
    if (owner->name && strcmp(line->owner, owner->name) == 0)
        return true;
    return owner->has_uid && subid_parse_uid(line->owner, &uid) && uid == owner->uid;
}

/* Another name of the same uid has the same ranges when it comes to using them, not to listing
 * them: the difference is shadow's (find_range() and list_owner_ranges()). */
static bool owner_has_by_alias(const struct owner *owner, const struct subid_line *line)
{
    uid_t uid;
    return owner->has_uid && !owner->sandbox && !subid_parse_uid(line->owner, &uid) &&
           look_up_anybody(line->owner, 0, &uid, NULL) == 0 && uid == owner->uid;
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
    if (ranges->n >= INT_MAX)
        return -E2BIG;
    struct subid_range *grown = reallocarray(ranges->items, ranges->n + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    grown[ranges->n++] = (struct subid_range){ .start = line->start, .count = line->count };
    ranges->items = grown;
    return 0;
}

/* Reads owner's ranges. With within, only those that have an id of it, by alias too. */
static int ranges_read(struct ranges *ranges, const char *path, const struct owner *owner,
                       const struct subid_range *within)
{
    _cleanup_subid_file_ struct subid_file file;
    struct subid_line line;
    int r = subid_file_open(&file, path);
    if (r < 0)
        return r;
    while ((r = subid_file_next(&file, &line)) > 0) {
        if (within && (line.start >= within->start + within->count ||
                       within->start >= (unsigned long)line.start + line.count))
            continue;
        if (!owner_has(owner, &line) && !(within && owner_has_by_alias(owner, &line)))
            continue;
        r = ranges_add(ranges, &line);
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

static enum subid_status has_range(const char *owner_text, unsigned long start,
                                   unsigned long count, enum subid_type type, bool *result)
{
    const struct source *source = source_of(type);
    const struct subid_range whole = { .start = start, .count = count };
    _cleanup_owner_ struct owner owner = { 0 };
    _cleanup_ranges_ struct ranges ranges = { 0 };

    *result = false;
    if (!source)
        return SUBID_STATUS_ERROR;
    if (count == 0 || start > UINT_MAX || count > UINT_MAX - start)
        return SUBID_STATUS_SUCCESS;
    if (owner_resolve(owner_text, &owner) < 0 ||
        ranges_read(&ranges, owner_path(&owner, source), &owner, &whole) < 0)
        return SUBID_STATUS_ERROR;
    *result = ranges_cover(&ranges, &whole);
    return SUBID_STATUS_SUCCESS;
}

/* useradd(8), userdel(8), usermod(8) and newusers(8) edit /etc/subuid and /etc/subgid, and up to
 * shadow 4.17 fail for every user once libsubid has a plugin (sub_uid_add() gives EOPNOTSUPP). They
 * must go on working, so in them this plugin is not one: libsubid takes a symbol that resolves to
 * NULL as missing, lets the plugin go and uses the files. dlsym(3) names a resolver that returns
 * NULL as one of the ways to get there. A program that lies about its name gets what /etc says. */
static enum subid_status (*resolve_has_range(void))(const char *, unsigned long, unsigned long,
                                                    enum subid_type, bool *)
{
    static const char *const editors[] = { "useradd", "userdel", "usermod", "newusers" };
    for (size_t i = 0; i < sizeof editors / sizeof editors[0]; i++)
        if (strcmp(program_invocation_short_name, editors[i]) == 0)
            return NULL;
    return has_range;
}

enum subid_status shadow_subid_has_range(const char *owner, unsigned long start,
                                         unsigned long count, enum subid_type type, bool *result)
    __attribute__((ifunc("resolve_has_range")));

enum subid_status shadow_subid_list_owner_ranges(const char *owner_text, enum subid_type type,
                                                 struct subid_range **ret, int *count)
{
    const struct source *source = source_of(type);
    _cleanup_owner_ struct owner owner = { 0 };
    _cleanup_ranges_ struct ranges ranges = { 0 };

    *ret = NULL;
    *count = 0;
    if (!source || owner_resolve(owner_text, &owner) < 0 ||
        ranges_read(&ranges, owner_path(&owner, source), &owner, NULL) < 0)
        return SUBID_STATUS_ERROR;
    *count = (int)ranges.n;
    *ret = steal_ptr(ranges.items);
    return SUBID_STATUS_SUCCESS;
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
    if (uids->n >= INT_MAX)
        return -E2BIG;
    uid_t *grown = reallocarray(uids->items, uids->n + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    grown[uids->n++] = uid;
    uids->items = grown;
    return 0;
}

/* The uid that a line's owner stands for, in the file of sandboxes or in that of the others; a line
 * of nobody's, or in /etc for a sandbox, gives nothing to anyone: -ENOENT. */
static int line_uid(const struct subid_line *line, bool sandboxes, uid_t *ret)
{
    const char *name = subid_parse_uid(line->owner, ret) ? NULL : line->owner;
    uid_t ignored;
    int sandbox = look_up_sandbox(name, *ret, sandboxes ? ret : &ignored, NULL);
    if (sandboxes)
        return sandbox;
    if (sandbox != -ENOENT)
        return sandbox == 0 ? -ENOENT : sandbox;
    return name ? look_up_anybody(name, 0, ret, NULL) : 0;
}

static int uids_read(struct uids *uids, const char *path, bool sandboxes, unsigned long id)
{
    _cleanup_subid_file_ struct subid_file file;
    struct subid_line line;
    int r = subid_file_open(&file, path);
    if (r < 0)
        return r;
    while ((r = subid_file_next(&file, &line)) > 0) {
        uid_t uid = 0;
        if (id < line.start || id - line.start >= line.count)
            continue;
        r = line_uid(&line, sandboxes, &uid);
        if (r == 0)
            r = uids_add(uids, uid);
        if (r < 0 && r != -ENOENT)
            return r;
    }
    return r;
}

enum subid_status shadow_subid_find_subid_owners(unsigned long id, enum subid_type type,
                                                 uid_t **ret, int *count)
{
    const struct source *source = source_of(type);
    _cleanup_uids_ struct uids uids = { 0 };

    *ret = NULL;
    *count = 0;
    if (!source || uids_read(&uids, source->sandboxes, true, id) < 0 ||
        uids_read(&uids, source->others, false, id) < 0)
        return SUBID_STATUS_ERROR;
    *count = (int)uids.n;
    *ret = steal_ptr(uids.items);
    return SUBID_STATUS_SUCCESS;
}

void shadow_subid_free(void *pointer)
{
    free(pointer);
}
