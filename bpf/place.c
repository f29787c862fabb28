/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"

int place_find_device(FILE *mountinfo, uint64_t mount_id, uint32_t *ret)
{
    _cleanup_free_ char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, mountinfo) >= 0) {
        unsigned major, minor;
        uint64_t id;

        /* mount id, parent's id, major:minor: proc_pid_mountinfo(5) */
        if (sscanf(line, "%" SCNu64 " %*u %u:%u ", &id, &major, &minor) != 3 || id != mount_id)
            continue;
        if (major >= 1U << 12 || minor >= 1U << 20)
            return -ERANGE;
        *ret = PLACE_DEVICE(major, minor);
        return 0;
    }
    return ferror(mountinfo) ? -EIO : -ENOENT;
}

int place_find(const char *path, struct policy_file *ret)
{
    struct policy_file place = { 0 };
    struct statx status;

    _cleanup_free_ char *real = realpath(path, NULL);
    if (!real)
        return -errno;
    char *name = strrchr(real, '/') + 1;
    if (!*name)
        return -EISDIR;
    if (strlen(name) >= sizeof(place.name))
        return -ENAMETOOLONG;
    strcpy(place.name, name);
    *name = '\0';

    if (statx(AT_FDCWD, real, AT_NO_AUTOMOUNT, STATX_INO | STATX_MNT_ID, &status) < 0)
        return -errno;
    if ((status.stx_mask & (STATX_INO | STATX_MNT_ID)) != (STATX_INO | STATX_MNT_ID))
        return -EOPNOTSUPP;
    place.directory = status.stx_ino;

    _cleanup_fclose_ FILE *mountinfo = fopen("/proc/self/mountinfo", "re");
    if (!mountinfo)
        return -errno;
    int r = place_find_device(mountinfo, status.stx_mnt_id, &place.device);
    if (r < 0)
        return r;
    *ret = place;
    return 0;
}
