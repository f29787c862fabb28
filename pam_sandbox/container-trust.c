/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pam_sandbox/container.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "conf/cleanup.h"

/* Debian's and what descends from it, and Arch's; Alpine's; Fedora's, and what that had before. */
static const char *const stores[] = {
    "etc/ssl/certs/ca-certificates.crt",
    "etc/ssl/cert.pem",
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "etc/pki/tls/certs/ca-bundle.crt",
};

/* Links are the image's, and lead within it. */
static int open_in(int root_fd, const char *path)
{
    const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
    long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof how);

    return fd < 0 ? -errno : (int)fd;
}

static int read_mount(int fd, struct statx *stx)
{
    return statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, stx) < 0 ? -errno : 0;
}

static int cover(int fd, const char *bundle)
{
    struct mount_attr attr = {
        .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
    };
    _cleanup_close_ int tree = open_tree(AT_FDCWD, bundle, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

    if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0 ||
        move_mount(tree, "", fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return -errno;
    return 0;
}

int container_trust(int root_fd, const char *bundle)
{
    struct statx root, stx;

    int r = read_mount(root_fd, &root);
    for (size_t i = 0; r == 0 && i < sizeof stores / sizeof *stores; i++) {
        _cleanup_close_ int fd = open_in(root_fd, stores[i]);

        if (fd < 0)
            continue;
        r = read_mount(fd, &stx);
        /* On another mount it is a volume, or one that was just covered, by another name. */
        if (r == 0 && S_ISREG(stx.stx_mode) && stx.stx_mnt_id == root.stx_mnt_id)
            r = cover(fd, bundle);
    }
    return r;
}
