/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* private-tmp: makes and removes the temporary directories of one sandbox user. Run by
 * user-runtime-dir@UID.service, as root in the host's mount namespace, so that the directories
 * live as long as /run/user/UID does. paths.h says where they are; the module puts them in their
 * places in the session's view. */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

/* As systemd's own for /tmp (TMPFS_LIMITS_TMP in its src/basic/tmpfile-util.h). What is really used
 * counts against the memory limit of the sandbox. */
#define TMPFS_OPTIONS "mode=0700,size=50%,nr_inodes=1m"

/* The two directories of all sandboxes, root's alone, and what is in a sandbox's own in each. */
struct place {
    const char *parent;
    const char *const *directories;
};

static const char *const tmpfs_directories[] = { "tmp", "shm", NULL };
static const char *const disk_directories[] = { "var-tmp", NULL };

static const struct place tmpfs_place = { PRIVATE_TMPFS_DIR, tmpfs_directories };
static const struct place disk_place = { PRIVATE_DISK_DIR, disk_directories };

static int fail(const char *what, const char *directory, const char *name, int error)
{
    fprintf(stderr, "private-tmp: cannot %s %s/%s: %s\n", what, directory, name, strerror(-error));
    return error;
}

/* The parents are made by tmpfiles.d; here only in case somebody removed them at run time. */
static int open_parent(const char *parent)
{
    struct stat st;

    if (mkdir(parent, 0700) < 0 && errno != EEXIST)
        return fail("make", parent, "", -errno);
    _cleanup_close_ int fd = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail("open", parent, "", -errno);
    if (fstat(fd, &st) < 0)
        return fail("examine", parent, "", -errno);
    if (st.st_uid != 0 || (st.st_mode & 077) != 0) {
        fprintf(stderr,
                "private-tmp: %s must be root's and closed to everybody else, or sandbox users "
                "reach each other's files: chown root %s && chmod 0700 %s\n",
                parent, parent, parent);
        return -EPERM;
    }
    return steal_fd(&fd);
}

/* Unmounts what is mounted on PARENT/NAME, all layers of it. What still uses the file system, in
 * this mount namespace or another, keeps its pages; nobody finds it by a path any more. */
static int unmount(const char *parent, const char *name)
{
    _cleanup_free_ char *path = NULL;

    if (asprintf(&path, "%s/%s", parent, name) < 0)
        return -ENOMEM;
    while (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
        ;
    if (errno != EINVAL && errno != ENOENT)
        return fail("unmount", parent, name, -errno);
    return 0;
}

/* rm from coreutils walks by descriptors, follows no link, and goes as deep as the tree does. The
 * path is in a directory that is root's alone. */
static int remove_tree(const char *parent, const char *name)
{
    _cleanup_free_ char *path = NULL;
    char *environment[] = { NULL };
    int status;
    pid_t pid;

    if (asprintf(&path, "%s/%s", parent, name) < 0)
        return -ENOMEM;
    char *arguments[] = { "rm", "-rf", "--one-file-system", "--", path, NULL };
    int r = posix_spawn(&pid, "/usr/bin/rm", NULL, NULL, arguments, environment);
    if (r != 0)
        return fail("run rm to remove", parent, name, -r);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail("wait for rm to remove", parent, name, -errno);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail("remove all of", parent, name, -EIO);
    return 0;
}

/* mkdir(2) heeds the umask, and a directory in which everybody may write has to be sticky. */
static int make_open_directories(int parent, const struct place *place)
{
    for (const char *const *name = place->directories; *name; name++) {
        if (mkdirat(parent, *name, 0700) < 0)
            return fail("make", place->parent, *name, -errno);
        if (fchmodat(parent, *name, 01777, 0) < 0)
            return fail("set the mode of", place->parent, *name, -errno);
    }
    return 0;
}

static int remove_place(const struct place *place, const char *name)
{
    int r = unmount(place->parent, name);
    if (r < 0)
        return r;
    return remove_tree(place->parent, name);
}

/* Both, also when the first fails: what can go shall go. */
static int remove_all(const char *name)
{
    int first = remove_place(&tmpfs_place, name);
    int second = remove_place(&disk_place, name);

    return first < 0 ? first : second;
}

static int make_place(const struct place *place, const char *name, bool tmpfs)
{
    _cleanup_close_ int parent = open_parent(place->parent);
    if (parent < 0)
        return parent;
    if (mkdirat(parent, name, 0700) < 0)
        return fail("make", place->parent, name, -errno);
    if (tmpfs) {
        _cleanup_free_ char *path = NULL;

        if (asprintf(&path, "%s/%s", place->parent, name) < 0)
            return -ENOMEM;
        if (mount("pam-sandbox", path, "tmpfs", MS_NOSUID | MS_NODEV, TMPFS_OPTIONS) < 0)
            return fail("mount a tmpfs on", place->parent, name, -errno);
    }
    _cleanup_close_ int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail("open", place->parent, name, -errno);
    return make_open_directories(fd, place);
}

/* Left-overs of a crash go first: nobody may find what an earlier session planted. */
static int make_all(const char *name)
{
    int r = remove_all(name);
    if (r < 0)
        return r;
    r = make_place(&tmpfs_place, name, true);
    if (r < 0)
        return r;
    return make_place(&disk_place, name, false);
}

/* The uid becomes a file name: digits, and not root's. */
static bool is_uid(const char *text)
{
    size_t length = strspn(text, "0123456789");

    return length > 0 && length <= 10 && text[length] == '\0' && text[0] != '0';
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        puts("private-tmp make|remove UID\n\nMakes or removes the temporary directories of a "
             "sandbox user.\nRun by user-runtime-dir@UID.service; see pam-sandbox-reaper(8).");
        return 0;
    }
    if (argc == 3 && is_uid(argv[2])) {
        if (strcmp(argv[1], "make") == 0)
            return make_all(argv[2]) < 0;
        if (strcmp(argv[1], "remove") == 0)
            return remove_all(argv[2]) < 0;
    }
    fputs("private-tmp: usage: private-tmp make|remove UID\n", stderr);
    return 2;
}
