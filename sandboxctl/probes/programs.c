/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/programs.h"
#include "sandboxctl/probes/words.h"

#include "bpf/set-id-programs.h"
#include "conf/cleanup.h"
#include "conf/paths.h"

#include <endian.h>
#include <fcntl.h>
#include <fts.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* A host has some hundred thousand files that everybody can reach. */
#define MAX_FILES 2000000
#define MAX_GROUPS 128

struct search {
    const struct config_sandbox *sandbox;
    gid_t groups[MAX_GROUPS];
    size_t n_groups;
    size_t n_files;
    struct programs *programs;
};

static void add_group(struct search *search, const char *name)
{
    const struct group *group = getgrnam(name);

    if (group && search->n_groups < MAX_GROUPS)
        search->groups[search->n_groups++] = group->gr_gid;
}

/* Whether the sandbox's user may enter the directory. */
static bool is_passable(const struct search *search, const struct stat *st)
{
    if (st->st_uid == search->sandbox->uid)
        return false;
    for (size_t i = 0; i < search->n_groups; i++)
        if (st->st_gid == search->groups[i])
            return st->st_mode & S_IXGRP;
    return st->st_mode & S_IXOTH;
}

/* Whether each directory on the way to a mount point is. */
static bool is_reachable(const struct search *search, const char *path)
{
    char prefix[PATH_MAX];
    struct stat st;

    if (strlen(path) >= sizeof prefix)
        return false;
    for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
        snprintf(prefix, sizeof prefix, "%.*s", slash == path ? 1 : (int)(slash - path), path);
        if (stat(prefix, &st) < 0 || !is_passable(search, &st))
            return false;
    }
    return true;
}

/* Capabilities that the program gives to everybody outside user namespaces: see
 * struct vfs_ns_cap_data in linux/capability.h. */
static bool has_capabilities(const char *path)
{
    struct vfs_ns_cap_data data = {};
    ssize_t n = lgetxattr(path, "security.capability", &data, sizeof data);

    if (n < (ssize_t)XATTR_CAPS_SZ_1)
        return false;
    if ((le32toh(data.magic_etc) & VFS_CAP_REVISION_MASK) == VFS_CAP_REVISION_3 && data.rootid != 0)
        return false;
    return data.data[0].permitted != 0 ||
           (n >= (ssize_t)XATTR_CAPS_SZ_2 && data.data[1].permitted != 0);
}

static bool is_elf(const char *path)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char magic[4];

    return fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic &&
           memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* Set-id bits of scripts do not count, and nor do they where a program would be the user it is. */
static bool gives_privilege(const struct search *search, const char *path, const struct stat *st)
{
    const uid_t uid = search->sandbox->uid;

    if (!S_ISREG(st->st_mode) || !(st->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        return false;
    if (!((st->st_mode & S_ISUID) && st->st_uid != uid) &&
        !((st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) && st->st_gid != uid) &&
        !has_capabilities(path))
        return false;
    return is_elf(path);
}

static int add_program(struct programs *programs, const char *path)
{
    struct program *list = reallocarray(programs->list, programs->n + 1, sizeof *list);

    if (!list)
        return -ENOMEM;
    programs->list = list;
    list[programs->n].is_allowed = set_id_program_allowed(path);
    list[programs->n].word = word_encode(path, strlen(path));
    return list[programs->n].word ? (programs->n++, 0) : -ENOMEM;
}

static bool is_pruned(const struct search *search, const FTSENT *entry)
{
    return !is_passable(search, entry->fts_statp) || strcmp(entry->fts_path, STATE_DIR) == 0;
}

static int search_tree(struct search *search, char *root)
{
    FTS *fts = fts_open((char *[]){ root, NULL }, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    int r = 0;

    if (!fts)
        return -errno;
    while (r == 0 && (entry = fts_read(fts))) {
        if (++search->n_files > MAX_FILES) {
            search->programs->incomplete = true;
            break;
        }
        if (entry->fts_info == FTS_D && is_pruned(search, entry))
            fts_set(fts, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F &&
                 gives_privilege(search, entry->fts_path, entry->fts_statp))
            r = add_program(search->programs, entry->fts_path);
    }
    fts_close(fts);
    return r;
}

/* Undoes the \ooo of /proc/PID/mountinfo, in place. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        unsigned byte;

        if (sscanf(from, "\\%3o", &byte) == 1) {
            *to = (char)byte;
            from += 4;
        } else
            *to = *from++;
    }
    *to = '\0';
}

static bool has_option(char *options, const char *name)
{
    char *save = NULL;

    for (char *o = strtok_r(options, ",", &save); o; o = strtok_r(NULL, ",", &save))
        if (strcmp(o, name) == 0)
            return true;
    return false;
}

/* File systems, by the type that a line begins with, whose files are the kernel's. */
static bool is_kernels(const char *type)
{
    static const char *const types[] = {
        "bpf",    "cgroup", "cgroup2", "configfs",   "debugfs", "devpts",
        "mqueue", "proc",   "pstore",  "securityfs", "sysfs",   "tracefs",
    };
    const size_t length = strcspn(type, " ");

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == length && strncmp(types[i], type, length) == 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct program *)a)->word, ((const struct program *)b)->word);
}

/* A directory that is mounted twice over itself is searched twice. */
static void sort(struct programs *programs)
{
    size_t n = 0;

    if (programs->n > 0)
        qsort(programs->list, programs->n, sizeof *programs->list, compare);
    for (size_t i = 0; i < programs->n; i++)
        if (n > 0 && strcmp(programs->list[i].word, programs->list[n - 1].word) == 0)
            free(programs->list[i].word);
        else
            programs->list[n++] = programs->list[i];
    programs->n = n;
}

int programs_find(const struct config_sandbox *sandbox, struct programs *programs)
{
    struct search search = { .sandbox = sandbox, .programs = programs };
    _cleanup_fclose_ FILE *file = fopen("/proc/self/mountinfo", "re");
    _cleanup_free_ char *line = NULL;
    size_t size = 0;
    int r = 0;

    if (!file)
        return -errno;
    search.groups[search.n_groups++] = sandbox->uid;
    add_group(&search, SANDBOXES_GROUP);
    for (char **g = sandbox->groups; *g; g++)
        add_group(&search, *g);

    while (r >= 0 && getline(&line, &size, file) > 0) {
        _cleanup_free_ char *point = NULL, *options = NULL;
        const char *separator = strstr(line, " - ");

        if (!separator || sscanf(line, "%*s %*s %*s %*s %ms %ms", &point, &options) != 2)
            return -EPROTO;
        unescape(point);
        if (!is_kernels(separator + strlen(" - ")) && !has_option(options, "nosuid") &&
            is_reachable(&search, point))
            r = search_tree(&search, point);
        /* Covered by another mount, or gone. */
        if (r == -ENOENT || r == -ENOTDIR || r == -EACCES)
            r = 0;
    }
    sort(programs);
    return r;
}

void programs_done(struct programs *programs)
{
    for (size_t i = 0; i < programs->n; i++)
        free(programs->list[i].word);
    free(programs->list);
    *programs = (struct programs){};
}
