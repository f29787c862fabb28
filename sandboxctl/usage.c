/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/usage.h"

#include "conf/cleanup.h"
#include "sandboxctl/status.h"

#include <inttypes.h>
#include <string.h>
#include <systemd/sd-login.h>

#define CGROUP_USERS "/sys/fs/cgroup/user.slice"

uint64_t usage_sessions(uid_t uid)
{
    _cleanup_strv_ char **sessions = NULL;
    uint64_t n = 0;

    int r = sd_uid_get_sessions(uid, 0, &sessions);
    if (r == -ENXIO || r == -ENODATA)
        return 0; /* logind does not know this user now */
    if (r < 0)
        return STATUS_UNKNOWN;

    for (char **session = sessions; session && *session; session++) {
        _cleanup_free_ char *class = NULL, *state = NULL;

        if (sd_session_get_class(*session, &class) < 0 ||
            sd_session_get_state(*session, &state) < 0)
            continue; /* gone meanwhile */
        n += strncmp(class, "manager", strlen("manager")) != 0 && strcmp(state, "closing") != 0;
    }
    return n;
}

uint64_t usage_of_slice(uid_t uid, const char *attribute)
{
    _cleanup_free_ char *slice = NULL, *path = NULL;
    _cleanup_fclose_ FILE *file = NULL;
    uint64_t value;

    if (asprintf(&slice, CGROUP_USERS "/user-%" PRIu32 ".slice", (uint32_t)uid) < 0 ||
        asprintf(&path, "%s/%s", slice, attribute) < 0)
        return STATUS_UNKNOWN;
    file = fopen(path, "re");
    if (!file) /* without the slice nothing runs; without the file this kernel does not count */
        return access(CGROUP_USERS, F_OK) == 0 && access(slice, F_OK) < 0 ? 0 : STATUS_UNKNOWN;
    return fscanf(file, "%" SCNu64, &value) == 1 ? value : STATUS_UNKNOWN;
}
