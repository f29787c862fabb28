/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lock/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "conf/cleanup.h"

static FILE *open_of(pid_t pid, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

int process_started(pid_t pid, uint64_t *ret)
{
    _cleanup_fclose_ FILE *file = open_of(pid, "stat");
    char line[1024];
    const char *rest;
    unsigned long long value;

    if (!file || !fgets(line, sizeof line, file))
        return -ESRCH;
    /* The name of the program, in brackets, may have any character. */
    rest = strrchr(line, ')');
    if (!rest || sscanf(rest + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                        "%*d %llu",
                        &value) != 1)
        return -EIO;
    *ret = value;
    return 0;
}

static bool has_uid(pid_t pid, uid_t uid)
{
    _cleanup_fclose_ FILE *file = open_of(pid, "status");
    char line[256];
    unsigned real;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Uid: %u", &real) == 1)
            return real == uid;
    return false;
}

static bool runs(pid_t pid, const char *program)
{
    _cleanup_fclose_ FILE *file = open_of(pid, "comm");
    char name[64], link[64], target[PATH_MAX];
    const char *base;
    ssize_t n;

    if (!file || !fgets(name, sizeof name, file))
        return false;
    name[strcspn(name, "\n")] = '\0';
    (void)snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    base = strrchr(target, '/');
    return strcmp(name, program) == 0 && base && strcmp(base + 1, program) == 0;
}

int process_find(const char *program, uid_t uid, pid_t *ret_pid, uint64_t *ret_started)
{
    _cleanup_closedir_ DIR *proc = opendir("/proc");
    int n = 0;

    if (!proc)
        return -errno;
    for (const struct dirent *entry; (entry = readdir(proc));) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        uint64_t started;

        if (pid <= 0 || !has_uid(pid, uid) || !runs(pid, program) ||
            process_started(pid, &started) < 0)
            continue;
        *ret_pid = pid;
        *ret_started = started;
        n++;
    }
    return n;
}

/* What the process has as TMPDIR, to be freed; NULL: nothing. */
static char *temporary_directory(pid_t pid)
{
    _cleanup_fclose_ FILE *file = open_of(pid, "environ");
    _cleanup_free_ char *entry = NULL;
    size_t size = 0;

    while (file && getdelim(&entry, &size, '\0', file) > 0)
        if (strncmp(entry, "TMPDIR=/", strlen("TMPDIR=/")) == 0)
            return strdup(entry + strlen("TMPDIR="));
    return NULL;
}

/* A directory that may be the user's, who may put links in its place: none is followed. */
static int unlink_in(const char *directory, pid_t pid, uid_t uid)
{
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    const int fd = (int)syscall(SYS_openat2, AT_FDCWD, directory, &how, sizeof how);
    _cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    char prefixes[2][64];
    int n = 0;

    if (!dir)
        return 0;
    (void)snprintf(prefixes[0], sizeof prefixes[0], "dotnet-diagnostic-%d-", (int)pid);
    (void)snprintf(prefixes[1], sizeof prefixes[1], "clr-debug-pipe-%d-", (int)pid);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        struct stat st;

        for (size_t i = 0; i < 2; i++)
            if (strncmp(entry->d_name, prefixes[i], strlen(prefixes[i])) == 0 &&
                fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                st.st_uid == uid && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) &&
                unlinkat(dirfd(dir), entry->d_name, 0) == 0)
                n++;
    }
    return n;
}

int process_unlink_diagnostics(pid_t pid, uid_t uid)
{
    _cleanup_free_ char *directory = temporary_directory(pid);
    const int n = unlink_in("/tmp", pid, uid);

    return directory && strcmp(directory, "/tmp") != 0 ? n + unlink_in(directory, pid, uid) : n;
}
