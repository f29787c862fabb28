/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/subid-owner.h"

#include "nss/nss-sandbox.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* Well past any entry: what does not fit is an error, not a reason to go on. */
#define BUFFER_MAX (1024 * 1024)

/* As getpwnam_r(3), or with name NULL as getpwuid_r(3), among the sandboxes alone. */
static int get_sandbox(const char *name, uid_t uid, struct passwd *entry, char *buffer, size_t size,
                       struct passwd **found)
{
    int error = 0;
    enum nss_status status = name ? _nss_sandbox_getpwnam_r(name, entry, buffer, size, &error)
                                  : _nss_sandbox_getpwuid_r(uid, entry, buffer, size, &error);
    *found = status == NSS_STATUS_SUCCESS ? entry : NULL;
    return error;
}

/* The same wherever NSS looks. Of the errors only ERANGE is kept: ENOENT, ESRCH, EBADF, EPERM and
 * others mean that there is no such user (getpwnam(3)). */
static int get_anybody(const char *name, uid_t uid, struct passwd *entry, char *buffer, size_t size,
                       struct passwd **found)
{
    int error = name ? getpwnam_r(name, entry, buffer, size, found)
                     : getpwuid_r(uid, entry, buffer, size, found);
    return error == ERANGE ? ERANGE : 0;
}

static int look_up(typeof(get_sandbox) *get, const char *name, uid_t uid, uid_t *ret_uid,
                   char **ret_name)
{
    _cleanup_free_ char *buffer = NULL;
    int error = ERANGE;
    for (size_t size = 1024; error == ERANGE && size <= BUFFER_MAX; size *= 2) {
        struct passwd entry, *found = NULL;
        free(buffer);
        buffer = malloc(size);
        if (!buffer)
            return -ENOMEM;
        error = get(name, uid, &entry, buffer, size, &found);
        if (found) {
            *ret_uid = entry.pw_uid;
            return !ret_name || (*ret_name = strdup(entry.pw_name)) ? 0 : -ENOMEM;
        }
    }
    return error != 0 ? -error : -ENOENT;
}

int owner_resolve(struct owner *owner, const char *text)
{
    *owner = (struct owner){ 0 };
    uid_t uid = 0;
    bool numeric = subid_parse_uid(text, &uid);
    const char *name = numeric ? NULL : text;

    int r = look_up(get_sandbox, name, uid, &owner->uid, &owner->name);
    if (r != -ENOENT) {
        owner->sandbox = owner->has_uid = r == 0;
        return r;
    }
    r = look_up(get_anybody, name, uid, &owner->uid, &owner->name);
    if (r != -ENOENT) {
        owner->has_uid = r == 0;
        return r;
    }
    owner->has_uid = numeric;
    owner->uid = uid;
    if (!numeric && !(owner->name = strdup(text)))
        return -ENOMEM;
    return 0;
}

void owner_done(struct owner *owner)
{
    free(owner->name);
}

bool owner_has(const struct owner *owner, const struct subid_line *line)
{
    uid_t uid;
    if (owner->name && strcmp(line->owner, owner->name) == 0)
        return true;
    return owner->has_uid && subid_parse_uid(line->owner, &uid) && uid == owner->uid;
}

bool owner_has_by_alias(const struct owner *owner, const struct subid_line *line)
{
    uid_t uid;
    return owner->has_uid && !subid_parse_uid(line->owner, &uid) &&
           look_up(get_anybody, line->owner, 0, &uid, NULL) == 0 && uid == owner->uid;
}

int owner_uid_of_line(const struct subid_line *line, bool sandboxes, uid_t *ret)
{
    uid_t uid = 0, sandbox_uid = 0;
    const char *name = subid_parse_uid(line->owner, &uid) ? NULL : line->owner;
    int r = look_up(get_sandbox, name, uid, &sandbox_uid, NULL);
    if (sandboxes) {
        *ret = sandbox_uid;
        return r;
    }
    if (r != -ENOENT)
        return r == 0 ? -ENOENT : r;
    *ret = uid;
    return name ? look_up(get_anybody, name, 0, ret, NULL) : 0;
}
