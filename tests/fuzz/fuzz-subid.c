/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of subordinate ids with any content, seen as a sandbox and as another user: what is listed
 * is also granted, and its owner is found. The same bytes are the file of the sandboxes and /etc's,
 * so that lines for a sandbox stand in both. */

#include "conf/paths.h"
#include "nss/nss-file.h"
#include "nss/subid.h"

#include <assert.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *content;
static size_t content_size;

FILE *nss_file_open(const char *path)
{
    static char users[] = "one:x:59000:59000:Sandbox:/home/one:/bin/bash\n";
    if (strcmp(path, NSS_PASSWD_FILE) == 0)
        return fmemopen(users, sizeof users - 1, "r");
    return fmemopen((void *)content, content_size, "r");
}

/* The host's users: alice, who is uid 1000, and who is al as well. Linked with --wrap. */
int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result);

static char alice[] = "alice";

int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result)
{
    (void)buffer, (void)size;
    *entry = (struct passwd){ .pw_name = alice, .pw_uid = 1000, .pw_gid = 1000 };
    *result = strcmp(name, "alice") == 0 || strcmp(name, "al") == 0 ? entry : NULL;
    return 0;
}

int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                      struct passwd **result)
{
    return __wrap_getpwnam_r(uid == 1000 ? "alice" : "", entry, buffer, size, result);
}

static bool is_owner(unsigned long id, uid_t uid)
{
    uid_t *uids;
    size_t n;
    bool found = false;
    assert(subid_find_owners(id, ID_TYPE_UID, &uids, &n) == 0);
    for (size_t i = 0; i < n; i++) {
        found = found || uids[i] == uid;
        for (size_t j = 0; j < i; j++)
            assert(uids[j] != uids[i]);
    }
    free(uids);
    return found;
}

static void check(const char *owner, uid_t uid)
{
    struct subid_range *ranges;
    size_t n;
    bool granted;
    assert(subid_list_ranges(owner, ID_TYPE_UID, &ranges, &n) == 0);
    for (size_t i = 0; i < n && i < 8; i++) {
        unsigned long last = ranges[i].start + ranges[i].count - 1;
        assert(ranges[i].count > 0 && last < UINT32_MAX);
        assert(subid_has_range(owner, ranges[i].start, ranges[i].count, ID_TYPE_UID, &granted) ==
               0);
        assert(granted);
        assert(is_owner(ranges[i].start, uid) && is_owner(last, uid));
    }
    assert(subid_has_range(owner, 0, UINT32_MAX, ID_TYPE_UID, &granted) == 0);
    free(ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    content = data;
    content_size = size;
    check("one", 59000);
    check("59000", 59000);
    check("alice", 1000);
    check("1000", 1000);
    return 0;
}
