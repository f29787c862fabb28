/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/users.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/users-dir.h"
#include "nss/users-group.h"
#include "nss/users-home.h"
#include "nss/users-report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Regular users begin here; below are root's and the system's (nss/nss-file.h refuses those). */
#define SANDBOX_UID_MIN 1000

static void print_passwd(FILE *out, const struct config_sandbox *s, const struct groups *groups)
{
    (void)groups;
    fprintf(out, "%s:x:%u:%u:Sandbox:%s/%s:/bin/bash\n", s->name, s->uid, s->uid, STATE_HOME_DIR,
            s->name);
}

static void print_shadow(FILE *out, const struct config_sandbox *s, const struct groups *groups)
{
    (void)groups;
    fprintf(out, "%s:!*:::::::\n", s->name);
}

static void print_subids(FILE *out, const struct config_sandbox *s, const struct groups *groups)
{
    (void)groups;
    if (s->subids.count > 0)
        fprintf(out, "%s:%" PRIu32 ":%" PRIu32 "\n", s->name, s->subids.start, s->subids.count);
}

static void print_membership(FILE *out, const char *name, const struct config_sandbox *s,
                             const struct groups *groups)
{
    fprintf(out, "%s:x:%u:%s\n", name, groups_find(groups, name)->gid, s->name);
}

static void print_group(FILE *out, const struct config_sandbox *s, const struct groups *groups)
{
    fprintf(out, "%s:x:%u:\n", s->name, s->uid);
    print_membership(out, SANDBOXES_GROUP, s, groups);
    for (char **name = s->groups; name && *name; name++)
        print_membership(out, *name, s, groups);
}

/* In the order in which they come into force. */
static const struct flat_file {
    const char *path;
    void (*print)(FILE *out, const struct config_sandbox *sandbox, const struct groups *groups);
    bool secret;
} flat_files[] = {
    { NSS_GROUP_FILE, print_group, false },   { NSS_SHADOW_FILE, print_shadow, true },
    { NSS_SUBUID_FILE, print_subids, false }, { NSS_SUBGID_FILE, print_subids, false },
    { NSS_PASSWD_FILE, print_passwd, false },
};

#define N_FLAT_FILES (sizeof flat_files / sizeof flat_files[0])

static const char *file_name(const struct flat_file *file)
{
    return strrchr(file->path, '/') + 1;
}

static void new_name(const struct flat_file *file, char name[static 32])
{
    snprintf(name, 32, ".%s.new", file_name(file));
}

static int set_access(int fd, const struct flat_file *file, const struct groups *groups)
{
    const struct group_id *shadow = file->secret ? groups_find(groups, "shadow") : NULL;
    mode_t mode = !file->secret ? 0644 : shadow ? 0640 : 0600;
    if (fchown(fd, 0, shadow ? shadow->gid : 0) < 0 || fchmod(fd, mode) < 0)
        return -errno;
    return 0;
}

/* Writes a file's successor beside it. */
static int prepare_file(int dir, const struct flat_file *file, const struct config *config,
                        const struct groups *groups)
{
    char name[32];
    new_name(file, name);
    /* Left by a writer that was killed; the policy lock says that it is nobody else's. */
    if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
        return -errno;

    _cleanup_close_ int fd =
        openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int r = set_access(fd, file, groups);
    if (r < 0)
        return r;

    FILE *out = fdopen(fd, "w");
    if (!out)
        return -errno;
    steal_fd(&fd);
    for (size_t i = 0; i < config->n_sandboxes; i++)
        file->print(out, config->sandboxes + i, groups);
    bool failed = ferror(out);
    return fclose(out) != 0 ? -errno : failed ? -EIO : 0;
}

static int write_files(int dir, const struct config *config, const struct groups *groups,
                       const struct report *report)
{
    char name[32];
    int r = 0;
    size_t i;
    for (i = 0; i < N_FLAT_FILES && r == 0; i++) {
        r = prepare_file(dir, flat_files + i, config, groups);
        if (r < 0)
            report_errno(report, r, "cannot write %s", flat_files[i].path);
    }
    for (i = 0; i < N_FLAT_FILES && r == 0; i++) {
        new_name(flat_files + i, name);
        if (renameat(dir, name, dir, file_name(flat_files + i)) < 0) {
            r = -errno;
            report_errno(report, r, "cannot replace %s", flat_files[i].path);
        }
    }
    for (i = 0; i < N_FLAT_FILES && r < 0; i++) {
        new_name(flat_files + i, name);
        unlinkat(dir, name, 0);
    }
    return r;
}

/* The configuration was checked by who made it. Here again, what would let one line of a file be
 * read as two, or as somebody else's. */
static int check_sandbox(const struct config_sandbox *s, const struct report *report)
{
    if (s->name[0] == '\0' || strchr("+-.", s->name[0]) || strpbrk(s->name, ":,/ \t\n")) {
        report_message(report, "sandbox \"%s\": not a user name", s->name);
        return -EINVAL;
    }
    if (s->uid < SANDBOX_UID_MIN || s->uid == (uid_t)-1) {
        report_message(report, "sandbox \"%s\": uid %u is the system's; it must be %d or more",
                       s->name, s->uid, SANDBOX_UID_MIN);
        return -EINVAL;
    }
    return 0;
}

static int check_membership(const struct config_sandbox *s, const char *name,
                            const struct groups *groups, const struct report *report)
{
    const struct group_id *group = groups_find(groups, name);
    if (!group) {
        report_message(report,
                       "sandbox \"%s\": there is no group \"%s\" in /etc/group; groupadd(8) or "
                       "systemd-sysusers(8) makes one",
                       s->name, name);
        return -EINVAL;
    }
    if (group->gid == 0) {
        report_message(report, "sandbox \"%s\": group \"%s\" is root's (gid 0)", s->name, name);
        return -EINVAL;
    }
    return 0;
}

/* Every problem is reported; returns the first. */
static int check(int root, const struct config *config, const struct groups *groups,
                 const struct report *report)
{
    int first = 0;
    _cleanup_close_ int homes = homes_open(root, false, report);
    if (homes < 0 && homes != -ENOENT)
        return homes;
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_sandbox *s = config->sandboxes + i;
        int r = check_sandbox(s, report);
        if (r == 0)
            r = check_membership(s, SANDBOXES_GROUP, groups, report);
        for (char **name = s->groups; name && *name; name++) {
            int m = check_membership(s, *name, groups, report);
            r = r < 0 ? r : m;
        }
        if (homes >= 0 && r == 0)
            r = home_check(homes, s, report);
        first = first < 0 ? first : r;
    }
    return first;
}

int users_check(const char *root, const struct config *config, users_report_t callback,
                void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    _cleanup_groups_ struct groups groups = { 0 };
    _cleanup_close_ int root_fd = dir_open_root(root, &report);
    if (root_fd < 0)
        return root_fd;
    int r = groups_read(&groups, root_fd, &report);
    return r < 0 ? r : check(root_fd, config, &groups, &report);
}

int users_write(const char *root, const struct config *config, users_report_t callback,
                void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    _cleanup_groups_ struct groups groups = { 0 };
    _cleanup_close_ int root_fd = dir_open_root(root, &report);
    if (root_fd < 0)
        return root_fd;
    int r = groups_read(&groups, root_fd, &report);
    if (r == 0)
        r = check(root_fd, config, &groups, &report);
    if (r < 0)
        return r;

    _cleanup_close_ int dir = dir_open(root_fd, RUN_DIR, true, &report);
    if (dir < 0)
        return dir;
    _cleanup_close_ int homes = homes_open(root_fd, true, &report);
    if (homes < 0)
        return homes;
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        r = home_make(homes, config->sandboxes + i, &report);
        if (r < 0)
            return r;
    }
    return write_files(dir, config, &groups, &report);
}

int users_remove(const char *root)
{
    const struct report silent = { 0 };
    _cleanup_close_ int root_fd = dir_open_root(root, &silent);
    if (root_fd < 0)
        return root_fd;
    _cleanup_close_ int dir = dir_open(root_fd, RUN_DIR, false, &silent);
    if (dir < 0)
        return dir == -ENOENT ? 0 : dir;

    int first = 0;
    for (size_t i = N_FLAT_FILES; i-- > 0;)
        if (unlinkat(dir, file_name(flat_files + i), 0) < 0 && errno != ENOENT && first == 0)
            first = -errno;
    return first;
}
