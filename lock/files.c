/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/root.h"
#include "lock/lock.h"
#include "lock/user.h"
#include "nss/users-dir.h"

#define NAME_IN_RUN(path) ((path) + sizeof RUN_DIR)

#define HEADER(comment)                                                                            \
    comment " Written by pam-sandbox for host { lock-user }: edit /etc/pam-sandbox, then "         \
            "run\n" comment " sandboxctl apply. See pam-sandbox-lock(8).\n"

static void print_user(FILE *out, const struct lock_user *user)
{
    fputs(user->lines, out);
}

/* By uid as well, whatever name sudo comes to know. In quotes, as a word of capitals would be an
 * alias, sudoers(5). */
static void print_sudoers(FILE *out, const struct lock_user *user)
{
    fputs(HEADER("#"), out);
    for (char **name = user->names; *name; name++)
        fprintf(out, "\"%s\" ALL = (ALL : ALL) !ALL\n", *name);
    fprintf(out, "#%u ALL = (ALL : ALL) !ALL\n", user->uid);
}

static void print_polkit(FILE *out, const struct lock_user *user)
{
    fputs(HEADER("//") "polkit.addRule(function (action, subject) {\n    if ([", out);
    for (char **name = user->names; *name; name++)
        fprintf(out, "%s\"%s\"", name == user->names ? "" : ", ", *name);
    fputs("].indexOf(subject.user) >= 0)\n        return polkit.Result.NO;\n});\n", out);
}

/* In the order in which they come into force. Each is exchanged by rename, as whoever reads it may
 * do so at any time. */
static const struct lock_file {
    const char *directory, *name;
    mode_t mode;
    void (*print)(FILE *out, const struct lock_user *user);
} lock_files[] = {
    { LOCK_SUDOERS_DIR, LOCK_SUDOERS_NAME, 0440, print_sudoers },
    { LOCK_POLKIT_DIR, LOCK_POLKIT_NAME, 0644, print_polkit },
    { RUN_DIR, LOCK_USER_NAME, 0644, print_user },
    { STATE_DIR, LOCK_USER_NAME, 0644, print_user },
};

#define N_LOCK_FILES (sizeof lock_files / sizeof *lock_files)

/* sudo reads no file whose name has a '.', polkit none that does not end in .rules: what is being
 * written is not there yet for either. */
static void new_name(const struct lock_file *file, char name[static 64])
{
    (void)snprintf(name, 64, ".%s.new", file->name);
}

static int print_file(int fd, const struct lock_file *file, const struct lock_user *user)
{
    FILE *out;

    if (fchmod(fd, file->mode) < 0)
        return -errno;
    out = fdopen(fd, "w");
    if (!out)
        return -errno;
    file->print(out, user);
    const bool failed = ferror(out);
    return fclose(out) != 0 ? -errno : failed ? -EIO : 0;
}

static int write_file(int root_fd, const struct lock_file *file, const struct lock_user *user,
                      const struct report *report)
{
    _cleanup_close_ int dir = dir_open(root_fd, file->directory, true, report);
    char name[64];
    int r;

    if (dir < 0)
        return dir;
    new_name(file, name);
    (void)unlinkat(dir, name, 0); /* of a writer that was killed */
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    r = fd < 0 ? -errno : print_file(fd, file, user);
    if (r == 0 && renameat(dir, name, dir, file->name) < 0)
        r = -errno;
    if (r < 0) {
        (void)unlinkat(dir, name, 0);
        report_errno(report, r, "cannot write %s/%s", file->directory, file->name);
    }
    return r;
}

static int write_files(int root_fd, const struct lock_user *user, const struct report *report)
{
    int r = 0;

    for (size_t i = 0; i < N_LOCK_FILES && r == 0; i++)
        r = write_file(root_fd, &lock_files[i], user, report);
    return r;
}

/* The file that users are in; a negative errno, reported. */
static int open_users(int root_fd, const char *path, const struct report *report, FILE **ret)
{
    _cleanup_close_ int fd = root_open_at(root_fd, path, O_RDONLY | O_NOCTTY, 0);

    if (fd < 0) {
        if (fd != -ENOENT)
            report_errno(report, fd, "cannot read %s", path);
        return fd;
    }
    *ret = fdopen(fd, "r");
    if (!*ret)
        return -errno;
    steal_fd(&fd);
    return 0;
}

int lock_write(const char *root, const struct config *config, lock_report_t callback,
               void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    const char *name = config->host.lock_user;
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    _cleanup_close_ int root_fd = -EBADF;
    _cleanup_fclose_ FILE *passwd = NULL;
    int r;

    if (!name)
        return lock_remove(root);
    root_fd = dir_open_root(root, &report);
    if (root_fd < 0)
        return root_fd;
    r = open_users(root_fd, "/etc/passwd", &report, &passwd);
    if (r == 0)
        r = lock_user_read(passwd, name, &user);
    if (r == 0 || r == -ENOENT) {
        report_message(&report, "cannot lock \"%s\", who is not in /etc/passwd", name);
        return -ENOENT;
    }
    return r < 0 ? r : write_files(root_fd, &user, &report);
}

int lock_keep(const char *root, lock_report_t callback, void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    _cleanup_close_ int root_fd = dir_open_root(root, &report);
    _cleanup_fclose_ FILE *kept = NULL;
    int r;

    if (root_fd < 0)
        return root_fd;
    r = open_users(root_fd, STATE_DIR "/" LOCK_USER_NAME, &report, &kept);
    if (r == 0)
        r = lock_user_read(kept, NULL, &user);
    if (r <= 0)
        return r == -ENOENT ? 0 : r;
    report_message(&report, "user \"%s\" stays locked", user.names[0]);
    return write_files(root_fd, &user, &report);
}

int lock_remove(const char *root)
{
    const struct report silent = { 0 };
    _cleanup_close_ int root_fd = dir_open_root(root, &silent);
    int first = 0;

    if (root_fd < 0)
        return root_fd;
    for (size_t i = N_LOCK_FILES; i-- > 0;) {
        _cleanup_close_ int dir = dir_open(root_fd, lock_files[i].directory, false, &silent);
        int r = dir < 0 ? dir : 0;

        if (dir >= 0 && unlinkat(dir, lock_files[i].name, 0) < 0)
            r = -errno;
        if (r < 0 && r != -ENOENT && first == 0)
            first = r;
    }
    /* Nobody else has anything there; polkit's is made at boot. */
    _cleanup_close_ int run = dir_open(root_fd, RUN_DIR, false, &silent);
    if (run >= 0)
        (void)unlinkat(run, NAME_IN_RUN(LOCK_SUDOERS_DIR), AT_REMOVEDIR);
    return first;
}
