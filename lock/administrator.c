/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who is left to undo a lock. What is looked for is a way in that a person uses: a password that
 * can be right, or a key that sshd(8) takes. Whether it takes passwords, or root at all, is not. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <shadow.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/root.h"
#include "lock/lock.h"
#include "nss/users-dir.h"

/* Whom sudo's and polkit's own rules let become root, by distribution. */
static const char *const groups[] = { "sudo", "wheel", "admin" };

#define N_GROUPS (sizeof groups / sizeof *groups)

struct host {
    int root_fd;
    const char *locked;
    uid_t locked_uid;
    gid_t gids[N_GROUPS]; /* (gid_t)-1: there is no such group */
};

static FILE *open_file(const struct host *host, const char *path)
{
    /* A home is its user's, who may have put anything there. */
    _cleanup_close_ int fd = root_open_at(host->root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    FILE *file = fdopen(fd, "r");
    if (file)
        steal_fd(&fd);
    return file;
}

/* shadow(5): what no password becomes, and an account that has expired. */
static bool has_password(const struct host *host, const char *name)
{
    _cleanup_fclose_ FILE *file = open_file(host, "/etc/shadow");
    const long today = (long)(time(NULL) / (24L * 60 * 60));

    for (const struct spwd *entry; file && (entry = fgetspent(file));)
        if (strcmp(entry->sp_namp, name) == 0)
            return !strchr("!*", entry->sp_pwdp[0]) &&
                   (entry->sp_expire <= 0 || entry->sp_expire > today);
    return false;
}

/* sshd(8), AUTHORIZED_KEYS FILE FORMAT: a line that is neither empty nor a comment. */
static bool has_key(const struct host *host, const char *home)
{
    static const char *const names[] = { "authorized_keys", "authorized_keys2" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        _cleanup_free_ char *path = NULL, *line = NULL;
        size_t size = 0;

        if (asprintf(&path, "%s/.ssh/%s", home, names[i]) < 0)
            return false;
        _cleanup_fclose_ FILE *file = open_file(host, path);
        while (file && getline(&line, &size, file) > 0)
            if (!strchr("#\n", line[strspn(line, " \t")]))
                return true;
    }
    return false;
}

static bool has_shell(const struct passwd *entry)
{
    const char *name = strrchr(entry->pw_shell, '/');

    return !name || (strcmp(name, "/nologin") != 0 && strcmp(name, "/false") != 0);
}

/* Those who are listed; whose group it is anyway, is_in_group() finds. */
static bool is_listed(const struct host *host, const char *name)
{
    _cleanup_fclose_ FILE *file = open_file(host, "/etc/group");

    for (const struct group *group; file && (group = fgetgrent(file));)
        for (size_t i = 0; i < N_GROUPS; i++)
            for (char **member = group->gr_mem; strcmp(group->gr_name, groups[i]) == 0 && *member;
                 member++)
                if (strcmp(*member, name) == 0)
                    return true;
    return false;
}

static bool is_in_group(const struct host *host, const struct passwd *entry)
{
    for (size_t i = 0; i < N_GROUPS; i++)
        if (host->gids[i] != (gid_t)-1 && host->gids[i] == entry->pw_gid)
            return true;
    return is_listed(host, entry->pw_name);
}

static void find_gids(struct host *host)
{
    _cleanup_fclose_ FILE *file = open_file(host, "/etc/group");

    for (size_t i = 0; i < N_GROUPS; i++)
        host->gids[i] = (gid_t)-1;
    for (const struct group *group; file && (group = fgetgrent(file));)
        for (size_t i = 0; i < N_GROUPS; i++)
            if (strcmp(group->gr_name, groups[i]) == 0)
                host->gids[i] = group->gr_gid;
}

static int find_locked_uid(struct host *host)
{
    _cleanup_fclose_ FILE *file = open_file(host, "/etc/passwd");

    for (const struct passwd *entry; file && (entry = fgetpwent(file));)
        if (strcmp(entry->pw_name, host->locked) == 0) {
            host->locked_uid = entry->pw_uid;
            return 0;
        }
    return -ENOENT;
}

static bool is_administrator(const struct host *host, const struct passwd *entry)
{
    return entry->pw_uid != host->locked_uid && has_shell(entry) &&
           (entry->pw_uid == 0 || is_in_group(host, entry)) &&
           (has_password(host, entry->pw_name) || has_key(host, entry->pw_dir));
}

int lock_check_administrator(const char *root, const struct config *config, lock_report_t callback,
                             void *userdata)
{
    const struct report report = { .callback = callback, .userdata = userdata };
    _cleanup_close_ int root_fd = -EBADF;
    struct host host = { .locked = config->host.lock_user };

    if (!host.locked || config->host.one_way)
        return 0;
    host.root_fd = root_fd = dir_open_root(root, &report);
    if (root_fd < 0)
        return root_fd;
    if (find_locked_uid(&host) < 0)
        return 0; /* that there is no such user is conf/'s to say */
    find_gids(&host);

    _cleanup_fclose_ FILE *users = open_file(&host, "/etc/passwd");
    for (const struct passwd *entry; users && (entry = fgetpwent(users));)
        if (is_administrator(&host, entry))
            return 0;
    report_message(&report,
                   "lock-user: with \"%s\" locked nobody could become root any more, as root has "
                   "neither a password nor a key in ~/.ssh/authorized_keys, and nobody else in "
                   "group sudo, wheel or admin has; set up one of them (passwd root), or write "
                   "one-way = true if this machine is thrown away after use",
                   host.locked);
    return -EPERM;
}
