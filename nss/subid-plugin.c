/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of libsubid_sandbox.so, as shadow's lib/nss.c looks for them and its
 * lib/prototypes.h describes them. libsubid before 4.16 does not ask for shadow_subid_free() and
 * calls free(3). */

#include "nss/subid.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT enum subid_status shadow_subid_has_range(const char *owner, unsigned long start,
                                                unsigned long count, enum subid_type type,
                                                bool *result);
EXPORT enum subid_status shadow_subid_list_owner_ranges(const char *owner, enum subid_type type,
                                                        struct subid_range **ranges, int *count);
EXPORT enum subid_status shadow_subid_find_subid_owners(unsigned long id, enum subid_type type,
                                                        uid_t **uids, int *count);
EXPORT void shadow_subid_free(void *pointer);

static enum subid_status status_of(int r)
{
    return r < 0 ? SUBID_STATUS_ERROR : SUBID_STATUS_SUCCESS;
}

static enum subid_status has_range(const char *owner, unsigned long start, unsigned long count,
                                   enum subid_type type, bool *result)
{
    return status_of(subid_has_range(owner, start, count, type, result));
}

/* useradd(8), userdel(8), usermod(8) and newusers(8) edit /etc/subuid and /etc/subgid, and up to
 * shadow 4.17 fail for every user once libsubid has a plugin (sub_uid_add() gives EOPNOTSUPP). They
 * must go on working, so in them this plugin is not one: libsubid takes a symbol that resolves to
 * NULL as missing, says so, lets the plugin go and uses the files. dlsym(3) names a resolver that
 * returns NULL as one of the ways to get there. A program that lies about its name gets what /etc
 * says, and no range of a sandbox. */
static typeof(has_range) *resolve_has_range(void)
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

enum subid_status shadow_subid_list_owner_ranges(const char *owner, enum subid_type type,
                                                 struct subid_range **ranges, int *count)
{
    size_t n;
    int r = subid_list_ranges(owner, type, ranges, &n);
    *count = n > INT_MAX ? INT_MAX : (int)n;
    return status_of(r);
}

enum subid_status shadow_subid_find_subid_owners(unsigned long id, enum subid_type type,
                                                 uid_t **uids, int *count)
{
    size_t n;
    int r = subid_find_owners(id, type, uids, &n);
    *count = n > INT_MAX ? INT_MAX : (int)n;
    return status_of(r);
}

void shadow_subid_free(void *pointer)
{
    free(pointer);
}
