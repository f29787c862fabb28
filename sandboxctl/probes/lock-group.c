/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What groups that are root by another name open to the user who is locked and in them: sockets of
 * daemons, disks, passwords; and a file and a socket that the check makes, which nothing but the
 * group opens. */
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/lock.h"

#include "bpf/lock-sockets.h"
#include "conf/cleanup.h"
#include "conf/paths.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define MAX_OBJECTS 64

static int connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || strlen(path) >= sizeof address.sun_path)
        return fd < 0 ? -errno : -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    /* A full queue comes after who is asked. */
    return connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EAGAIN ? -errno
                                                                                           : 0;
}

static int open_either_way(const char *path)
{
    static const int modes[] = { O_RDONLY, O_WRONLY };
    int r = 0;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        _cleanup_close_ int fd = open(path, modes[i] | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        if (fd >= 0)
            return 0;
        r = -errno;
    }
    return r;
}

/* group-object PATH: gets through when it is opened, or connected to. */
enum attempt_result attempt_group_object(int argc, char **argv)
{
    struct stat st;
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to open");
    if (stat(argv[1], &st) < 0)
        r = -errno;
    else
        r = S_ISSOCK(st.st_mode) ? connect_to(argv[1]) : open_either_way(argv[1]);

    switch (r) {
    case 0:
        return attempt_say(ATTEMPT_THROUGH, "%s: opened", argv[1]);
    case -EACCES:
    case -EPERM:
        return attempt_say(ATTEMPT_REFUSED, "%s: %s", argv[1], strerror(-r));
    case -ENOENT:
    case -ECONNREFUSED:
        return attempt_say(ATTEMPT_REFUSED, "%s: nobody is there", argv[1]);
    default:
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", argv[1], strerror(-r));
    }
}

/* Those of a group's things that this host has. */
struct objects {
    char *paths[MAX_OBJECTS];
    size_t n;
};

static void objects_done(struct objects *objects)
{
    for (size_t i = 0; i < objects->n; i++)
        free(objects->paths[i]);
    objects->n = 0;
}

static void add_object(struct objects *objects, const char *path)
{
    if (objects->n < MAX_OBJECTS && (objects->paths[objects->n] = strdup(path)))
        objects->n++;
}

static bool is_of_group(const char *path, gid_t gid, struct stat *st)
{
    return stat(path, st) == 0 && st->st_gid == gid;
}

/* All there are in a directory, of that kind and that group. */
static void add_all(struct objects *objects, const char *directory, mode_t type, gid_t gid)
{
    _cleanup_closedir_ DIR *dir = opendir(directory);

    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        _cleanup_free_ char *path = NULL;
        struct stat st;

        if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
            return;
        if (is_of_group(path, gid, &st) && (st.st_mode & S_IFMT) == type)
            add_object(objects, path);
    }
}

static void add_sockets(struct objects *objects, const char *group, gid_t gid)
{
    for (size_t i = 0; i < n_lock_sockets; i++) {
        _cleanup_free_ char *directory = strdup(lock_sockets[i].path);
        const size_t n = directory ? strlen(directory) : 0;
        struct stat st;

        if (n > 0 && directory[n - 1] == '/') {
            directory[n - 1] = '\0';
            add_all(objects, directory, S_IFSOCK, gid);
        } else if (is_of_group(lock_sockets[i].path, gid, &st) ||
                   (lock_sockets[i].group && strcmp(lock_sockets[i].group, group) == 0 &&
                    access(lock_sockets[i].path, F_OK) == 0))
            add_object(objects, lock_sockets[i].path);
    }
}

static void find_objects(struct objects *objects, const char *group, gid_t gid)
{
    static const char *const passwords[] = { "/etc/shadow", "/etc/gshadow" };
    struct stat st;

    add_sockets(objects, group, gid);
    add_all(objects, "/dev", S_IFBLK, gid);
    for (size_t i = 0; i < sizeof passwords / sizeof *passwords; i++)
        if (is_of_group(passwords[i], gid, &st))
            add_object(objects, passwords[i]);
}

/* Root's, and for the group alone to read. */
static int make_canary(const char *path, gid_t gid)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 || fchown(fd, 0, gid) < 0 || fchmod(fd, 0040) < 0 ? -errno : 0;
}

/* What gets through of what the host has; the first that is refused when nothing does. */
static const struct call *try_all(struct probe_run *run, const struct objects *objects,
                                  struct call **ret_calls)
{
    const struct place locked = PLACE_LOCKED(run);
    struct call *calls = place_run_each(run, &locked, "group-object", objects->paths, objects->n);
    const struct call *worst = calls;

    for (size_t i = 0; i < objects->n; i++)
        if (worst->result == ATTEMPT_REFUSED ||
            (worst->result == ATTEMPT_UNTRIED && calls[i].result == ATTEMPT_THROUGH))
            worst = &calls[i];
    *ret_calls = calls;
    return worst;
}

/* Without the kernel policy a daemon that does not run serves nobody, and that is all. */
static void judge_without_kernel(struct probe_run *run, const char *group,
                                 const struct objects *objects, const struct call *worst)
{
    const char *path = objects->n > 0 ? worst->argv[1] : NULL;
    struct stat st;

    if (!path)
        probe_found(run, VERDICT_OK, "nothing is there that group %s opens", group);
    else if (worst->result == ATTEMPT_THROUGH && stat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
        probe_found(run, VERDICT_SKIP, "kernel-policy is false: group %s opens %s to it", group,
                    path);
    else
        place_judge(run, worst);
}

static void try_group(struct probe_run *run, const char *group, gid_t gid)
{
    _cleanup_(objects_done) struct objects objects = {};
    _cleanup_free_ struct call *calls = NULL;
    const struct place member = { .uid = NOBODY_ID, .gid = gid };
    char canary[128];
    int r;

    snprintf(canary, sizeof canary, RUN_DIR "/check-%s-group-%u", run->token, gid);
    struct call control[] = { CALL("group-object", canary) };
    r = make_canary(canary, gid);
    if (run->config->host.kernel_policy)
        add_object(&objects, canary);
    find_objects(&objects, group, gid);
    const struct call *worst = try_all(run, &objects, &calls);
    place_run(run, &member, control, 1);
    (void)unlink(canary);

    if (r < 0)
        probe_found(run, VERDICT_FAIL, "could not be tried: %s: %s", canary, strerror(-r));
    else if (run->config->host.kernel_policy)
        place_judge(run, worst);
    else
        judge_without_kernel(run, group, &objects, worst);
    place_judge_control(run, control);
}

void probe_lock_group(struct probe_run *run)
{
    const struct passwd *user;
    gid_t gids[256];
    int n = sizeof gids / sizeof *gids;

    if (lock_is_off(run))
        return;
    user = getpwnam(run->config->host.lock_user);
    if (!user || getgrouplist(user->pw_name, user->pw_gid, gids, &n) < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: the groups of %s are not known",
                    run->config->host.lock_user);
        probe_found_control(run, VERDICT_FAIL, "could not be tried");
        return;
    }
    for (int i = 0; i < n; i++) {
        const struct group *group = getgrgid(gids[i]);
        _cleanup_free_ char *name =
            group && config_group_is_root_by(group->gr_name) ? strdup(group->gr_name) : NULL;

        if (!name || !probe_wants_object(run, name))
            continue;
        run->object = name;
        try_group(run, name, gids[i]);
        run->object = NULL;
    }
    if (run->findings.n == 0)
        probe_skip(run, "%s is in no group that is root by another name",
                   run->config->host.lock_user);
}
