/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/view.h"

/* The directories that stay as they are on the host: device nodes and the kernel's trees have
 * permissions of their own, and rootless containers need to write in them. The order is that in
 * which they are put back. */
static const char *const view_kernel_trees[] = { "/dev", "/sys" };

/* Directories of the host that everybody may read and a sandbox may not: the units that systemd
 * keeps there have the environment that run0's caller gave with --setenv=, of every session. */
static char *const view_covered[] = { (char *)"/run/systemd/transient", NULL };

/* At most: the kernel's trees, home, runtime directory, three temporary directories. */
#define VIEW_HOLES_MAX 8

/* A piece of the file system taken aside before the tree becomes read-only. */
struct view_hole {
    int tree; /* a detached mount, open_tree(2) */
    char target[PATH_MAX];
};

struct view_holes {
    struct view_hole hole[VIEW_HOLES_MAX];
    size_t n;
};

static void holes_done(struct view_holes *holes)
{
    for (size_t i = 0; i < holes->n; i++)
        cleanup_closep(&holes->hole[i].tree);
}

static int fail(struct view_error *error, int r, const char *action, const char *path,
                const char *remedy)
{
    error->action = action;
    snprintf(error->path, sizeof error->path, "%s", path);
    error->remedy = remedy;
    return r;
}

/* flags: O_DIRECTORY, or 0 for a file. */
static int open_place(const char *path, uint64_t flags)
{
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | flags,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);

    return fd < 0 ? -errno : (int)fd;
}

/* Opens what must belong to owner, so that nobody else can have put it there. */
static int open_place_of(const char *path, uint64_t flags, uid_t owner, struct view_error *error)
{
    _cleanup_close_ int fd = open_place(path, flags);
    struct stat st;

    if (fd == -ELOOP)
        return fail(error, fd, "open", path, "name it without symbolic links");
    if (fd < 0)
        return fail(error, fd, "open", path, NULL);
    if (fstat(fd, &st) < 0)
        return fail(error, -errno, "examine", path, NULL);
    if (st.st_uid != owner)
        return fail(error, -EPERM, "trust the owner of", path,
                    "give the directory back to its owner");

    return steal_fd(&fd);
}

/* Takes the tree at source aside, to be put at target later. attributes: MOUNT_ATTR_* to add. */
static int take_hole(struct view_holes *holes, const char *source, uid_t owner, const char *target,
                     uint64_t attributes, struct view_error *error)
{
    struct mount_attr attr = { .attr_set = attributes };
    struct view_hole *hole = &holes->hole[holes->n];
    _cleanup_close_ int fd = open_place_of(source, O_DIRECTORY, owner, error);
    _cleanup_close_ int tree = -1;

    if (fd < 0)
        return fd;

    tree = open_tree(fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0)
        return fail(error, -errno, "clone", source, NULL);
    if (attributes && mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
        return fail(error, -errno, "set the mount attributes of", source, NULL);

    snprintf(hole->target, sizeof hole->target, "%s", target);
    hole->tree = steal_fd(&tree);
    holes->n++;
    return 0;
}

static int attach_to(int tree, int fd, const char *target, struct view_error *error)
{
    if (move_mount(tree, "", fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return fail(error, -errno, "mount on", target, NULL);

    return 0;
}

static int attach(int tree, const char *target, struct view_error *error)
{
    _cleanup_close_ int fd = open_place(target, O_DIRECTORY);

    if (fd < 0)
        return fail(error, fd, "open", target,
                    "make it a directory that is reached without symbolic links");

    return attach_to(tree, fd, target, error);
}

/* Puts a tree in the place of whatever is mounted at target, rather than above it: a mount that is
 * only covered would still be there for the kernel, which lets a user namespace mount a new proc
 * or sysfs only where the old one is to be seen whole (fs/namespace.c, mnt_already_visible()). */
static int replace(int tree, const char *target, struct view_error *error)
{
    if (umount2(target, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno != EINVAL)
        return fail(error, -errno, "unmount", target, NULL);

    return attach(tree, target, error);
}

static int take_private_tmp(struct view_holes *holes, const struct view *view,
                            struct view_error *error)
{
    static const struct {
        const char *format, *target;
    } directories[] = {
        { PRIVATE_TMPFS_DIR "/%" PRIu32 "/tmp", "/tmp" },
        { PRIVATE_DISK_DIR "/%" PRIu32 "/var-tmp", "/var/tmp" },
        { PRIVATE_TMPFS_DIR "/%" PRIu32 "/shm", "/dev/shm" },
    };

    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        char source[PATH_MAX];
        int r;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(source, sizeof source, directories[i].format, view->uid);
#pragma GCC diagnostic pop
        r = take_hole(holes, source, 0, directories[i].target, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                      error);
        if (r < 0)
            return r;
    }

    return 0;
}

static int take_own_holes(struct view_holes *holes, const struct view *view,
                          struct view_error *error)
{
    char runtime[64];
    int r;

    for (size_t i = 0; i < sizeof view_kernel_trees / sizeof view_kernel_trees[0]; i++) {
        r = take_hole(holes, view_kernel_trees[i], 0, view_kernel_trees[i], 0, error);
        if (r < 0)
            return r;
    }

    r = take_hole(holes, view->home, view->uid, view->home, 0, error);
    if (r < 0)
        return r;

    snprintf(runtime, sizeof runtime, "/run/user/%" PRIu32, view->uid);
    r = take_hole(holes, runtime, view->uid, runtime, 0, error);
    if (r < 0)
        return r;

    if (view->private_tmp)
        return 0;

    r = take_hole(holes, "/tmp", 0, "/tmp", 0, error);
    if (r < 0)
        return r;
    return take_hole(holes, "/var/tmp", 0, "/var/tmp", 0, error);
}

/* Sees the processes that its reader may trace, and none else: proc(5), hidepid. The host's own
 * /proc is not touched. Nothing is mounted below it. */
static int replace_proc(struct view_error *error)
{
    _cleanup_close_ int context = fsopen("proc", FSOPEN_CLOEXEC), tree = -1;

    if (context < 0)
        return fail(error, -errno, "create a file system for", "/proc", NULL);
    if (fsconfig(context, FSCONFIG_SET_STRING, "hidepid", "invisible", 0) < 0 ||
        fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return fail(error, -errno, "set hidepid=invisible for", "/proc", NULL);

    tree =
        fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (tree < 0)
        return fail(error, -errno, "create a mount for", "/proc", NULL);

    return replace(tree, "/proc", error);
}

/* Something of root's to look at, and nothing else: a detached mount. flags: open_place()'s. */
static int take_to_show(const char *source, uint64_t flags, struct view_error *error)
{
    _cleanup_close_ int fd = open_place_of(source, flags, 0, error), tree = -1;
    struct mount_attr attr = {
        .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
    };

    if (fd < 0)
        return fd;

    tree = open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0)
        return fail(error, -errno, "clone", source, NULL);
    if (mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
        return fail(error, -errno, "make read-only", source, NULL);

    return steal_fd(&tree);
}

static int cover(const char *path, struct view_error *error)
{
    _cleanup_close_ int tree = take_to_show(EMPTY_DIR, O_DIRECTORY, error);

    return tree < 0 ? tree : attach(tree, path, error);
}

/* For programs whose library has the path built in and looks at no variable, as GnuTLS. Links are
 * followed: where one in /etc leads is root's to say. When update-ca-certificates(8) on the host
 * renames a new file to that name, the kernel takes this mount away (fs/namespace.c,
 * __detach_mounts()), and what is seen is the new file. */
static int replace_trusted(const char *trusted, struct view_error *error)
{
    _cleanup_close_ int tree = take_to_show(trusted, 0, error), fd = -1;

    if (tree < 0)
        return tree;

    fd = open(SYSTEM_BUNDLE, O_PATH | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return fail(error, -errno, "open", SYSTEM_BUNDLE, NULL);

    return attach_to(tree, fd, SYSTEM_BUNDLE, error);
}

/* Made first where it is not there: it would be seen as soon as somebody makes it. */
static int make_covered(struct view_error *error)
{
    for (char *const *path = view_covered; *path; path++)
        if (mkdir(*path, 0755) < 0 && errno != EEXIST)
            return fail(error, -errno, "create", *path, NULL);

    return 0;
}

static int cover_all(char *const *paths, struct view_error *error)
{
    for (; *paths; paths++) {
        int r = cover(*paths, error);

        if (r == -ENOENT)
            error->remedy = "create the directory or take it out of private-paths";
        if (r < 0)
            return r;
    }

    return 0;
}

int view_enter(const struct view *view, struct view_error *error)
{
    struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };
    _cleanup_(holes_done) struct view_holes holes = { 0 };
    int r;

    if (!view->read_only && !view->private_tmp && !*view->private_paths)
        return 0;

    if (view->read_only && (r = make_covered(error)) < 0)
        return r;
    if (unshare(CLONE_NEWNS) < 0)
        return fail(error, -errno, "create a mount namespace for", "/", NULL);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return fail(error, -errno, "stop mount propagation to", "/", NULL);

    if (view->read_only && (r = take_own_holes(&holes, view, error)) < 0)
        return r;
    if (view->private_tmp && (r = take_private_tmp(&holes, view, error)) < 0)
        return r;

    if (view->read_only) {
        if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) < 0)
            return fail(error, -errno, "make read-only", "/", NULL);
        r = replace_proc(error);
        if (r < 0)
            return r;
    }

    for (size_t i = 0; i < holes.n; i++) {
        r = replace(holes.hole[i].tree, holes.hole[i].target, error);
        if (r < 0)
            return r;
    }

    if (view->read_only && view->trusted && (r = replace_trusted(view->trusted, error)) < 0)
        return r;
    if (view->read_only && (r = cover_all(view_covered, error)) < 0)
        return r;
    r = cover_all(view->private_paths, error);
    if (r < 0)
        return r;

    if (mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
        return fail(error, -errno, "make a peer group of", "/", NULL);

    return 0;
}
