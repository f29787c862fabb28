/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/mode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "conf/cleanup.h"

const char *policy_mode_prefix(enum policy_mode mode)
{
    return mode == MODE_LSM ? "lsm_" : "fmod_";
}

enum policy_mode policy_mode_of(const char *lsms)
{
    for (const char *name = lsms; *name;) {
        size_t length = strcspn(name, ",\n");

        if (length == strlen("bpf") && strncmp(name, "bpf", length) == 0)
            return MODE_LSM;
        name += length + (name[length] != '\0');
    }
    return MODE_FMOD_RET;
}

int policy_mode_detect(enum policy_mode *ret)
{
    char lsms[1024];

    _cleanup_close_ int fd = open(LSM_LIST_FILE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, lsms, sizeof(lsms) - 1);
    if (n < 0)
        return -errno;
    lsms[n] = '\0';
    *ret = policy_mode_of(lsms);
    return 0;
}
