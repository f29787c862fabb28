/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/stage.h"

#define STAGE_SYSTEMD_DIR "/run/systemd"
#define STAGE_JOURNAL_DIR STAGE_SYSTEMD_DIR "/journal"
#define STAGE_RUNTIME_DIR "/run/user"

static int mount_empty(const char *path)
{
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") < 0 ? -errno
                                                                                         : 0;
}

/* Empties /run/systemd but for the journal's sockets: what the modules log must not be lost. */
static int hide_logind(void)
{
    _cleanup_close_ int journal =
        open_tree(AT_FDCWD, STAGE_JOURNAL_DIR, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    int r = mount_empty(STAGE_SYSTEMD_DIR);

    if (r < 0)
        return r;
    if (journal < 0) /* no journal on this host */
        return 0;
    if (mkdir(STAGE_JOURNAL_DIR, 0755) < 0 ||
        move_mount(journal, "", AT_FDCWD, STAGE_JOURNAL_DIR, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return -errno;

    return 0;
}

/* Makes parent/UID, 0700 and the owner's, on an empty parent, and the directories named in it. */
static int make_directories(const char *parent, uid_t uid, uid_t owner, gid_t owner_group,
                            const char *const *names)
{
    char path[PATH_MAX];
    int r = mount_empty(parent);

    if (r < 0)
        return r;
    snprintf(path, sizeof path, "%s/%" PRIu32, parent, uid);
    if (mkdir(path, 0700) < 0 || chown(path, owner, owner_group) < 0)
        return -errno;

    for (; *names; names++) {
        char below[PATH_MAX];

        if ((size_t)snprintf(below, sizeof below, "%s/%s", path, *names) >= sizeof below)
            return -ENAMETOOLONG;
        if (mkdir(below, 0755) < 0)
            return -errno;
    }

    return 0;
}

int stage_enter(uid_t uid, gid_t gid, const char **what)
{
    static const char *const none[] = { NULL };
    static const char *const tmpfs[] = { "tmp", "shm", NULL };
    static const char *const disk[] = { "var-tmp", NULL };
    int r;

    *what = "/";
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;

    *what = STAGE_SYSTEMD_DIR;
    r = hide_logind();
    if (r < 0)
        return r;

    *what = STAGE_RUNTIME_DIR;
    if (mkdir(STAGE_RUNTIME_DIR, 0755) < 0 && errno != EEXIST)
        return -errno;
    r = make_directories(STAGE_RUNTIME_DIR, uid, uid, gid, none);
    if (r < 0)
        return r;

    *what = PRIVATE_TMPFS_DIR;
    r = make_directories(PRIVATE_TMPFS_DIR, uid, 0, 0, tmpfs);
    if (r < 0)
        return r;

    *what = PRIVATE_DISK_DIR;
    return make_directories(PRIVATE_DISK_DIR, uid, 0, 0, disk);
}
