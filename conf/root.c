/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int root_open(const char *root)
{
    int fd = open(*root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static bool is_running_system(int root_fd)
{
    struct stat root, system;

    return fstat(root_fd, &root) == 0 && stat("/", &system) == 0 && root.st_dev == system.st_dev &&
           root.st_ino == system.st_ino;
}

int root_open_at(int root_fd, const char *path, int flags, mode_t mode)
{
    const struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    int fd;

    /* EAGAIN: a rename or a mount raced with the walk, openat2(2). */
    do
        fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    /* RestrictSUIDSGID= takes openat2(2) away from a service, systemd.exec(5). Nothing leads out of
     * the running system's root. */
    if (fd < 0 && errno == ENOSYS && is_running_system(root_fd))
        fd = open(path, flags | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}
