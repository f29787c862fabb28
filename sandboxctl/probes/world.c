/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What everybody may write. In a session the view is read-only nearly everywhere, so that nothing
 * would be seen of the kernel's policy: it is tried in the sandbox's /tmp, where root puts
 * something, and by a process that has the uid and no view. */
#include "sandboxctl/probes/world.h"
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define OPEN "world-writable things of root's are open to it"

/* Each directory of canaries has both of these. */
#define CANARY_FILE "file"
#define CANARY_DIRECTORY "directory"

/* Opens for writing what is at the name; returns 0 or a negative errno. */
static int write_at(int dir_fd, const char *name)
{
    _cleanup_close_ int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

    return fd < 0 ? -errno : 0;
}

/* Makes a file in the directory, and removes it. */
static int make_in(int dir_fd)
{
    _cleanup_close_ int fd = -EBADF;
    char name[32];

    snprintf(name, sizeof name, "by-%d", (int)getpid());
    fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    unlinkat(dir_fd, name, 0);
    return 0;
}

static int make_in_directory(const char *directory)
{
    _cleanup_close_ int fd = -EBADF;
    char path[512];

    snprintf(path, sizeof path, "%s/" CANARY_DIRECTORY, directory);
    fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : make_in(fd);
}

static int write_file(const char *directory)
{
    char path[512];

    snprintf(path, sizeof path, "%s/" CANARY_FILE, directory);
    return write_at(AT_FDCWD, path);
}

/* A read-only file system, or nothing there, is no answer. */
static bool is_refusal(int r)
{
    return r == -EACCES || r == -EPERM;
}

static enum attempt_result say_world(int r, const char *what, const char *directory)
{
    if (r == 0)
        return attempt_say(ATTEMPT_THROUGH, "a world-writable %s in %s: written", what, directory);
    return attempt_say(is_refusal(r) ? ATTEMPT_REFUSED : ATTEMPT_UNTRIED,
                       "a world-writable %s in %s: %s", what, directory, strerror(-r));
}

/* world-write DIRECTORY…: gets through when the file or the directory in one of them is written. */
enum attempt_result attempt_world_write(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int file = write_file(argv[i]), directory = make_in_directory(argv[i]);

        if (!is_refusal(file))
            return say_world(file, CANARY_FILE, argv[i]);
        if (!is_refusal(directory) || i == argc - 1)
            return say_world(directory, CANARY_DIRECTORY, argv[i]);
    }
    return attempt_say(ATTEMPT_UNTRIED, "no directory to look in");
}

/* world-write-all DIRECTORY…: gets through when all of them are. */
enum attempt_result attempt_world_write_all(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int file = write_file(argv[i]), directory = make_in_directory(argv[i]);

        if (file < 0)
            return say_world(file, CANARY_FILE, argv[i]);
        if (directory < 0 || i == argc - 1)
            return say_world(directory, CANARY_DIRECTORY, argv[i]);
    }
    return attempt_say(ATTEMPT_UNTRIED, "no directory to look in");
}

/* world-write-late DIRECTORY: opens both while it may only read them, waits until standard input
 * is closed, and tries then, by name and by what it has open. */
enum attempt_result attempt_world_write_late(int argc, char **argv)
{
    _cleanup_close_ int file = -EBADF, directory = -EBADF;
    char path[512], by_fd[64];
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to look in");
    snprintf(path, sizeof path, "%s/" CANARY_FILE, argv[1]);
    file = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "%s/" CANARY_DIRECTORY, argv[1]);
    directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || directory < 0)
        return attempt_say(ATTEMPT_UNTRIED, "what is in %s, for reading: %m", argv[1]);
    snprintf(by_fd, sizeof by_fd, "/proc/self/fd/%d", file);
    r = write_at(AT_FDCWD, by_fd);
    if (!is_refusal(r))
        return attempt_say(ATTEMPT_UNTRIED, "what is in %s could be written to begin with",
                           argv[1]);

    attempt_tell("ready");
    attempt_wait();
    r = write_at(AT_FDCWD, by_fd);
    if (!is_refusal(r))
        return say_world(r, "file that it had open for reading", argv[1]);
    r = make_in(directory);
    if (!is_refusal(r))
        return say_world(r, "directory that it had open", argv[1]);
    return attempt_world_write(argc, argv);
}

/* world-own STICKY: gets through when it makes, in a sticky directory of root's, a file of its own
 * that everybody may write, and writes it. */
enum attempt_result attempt_world_own(int argc, char **argv)
{
    _cleanup_close_ int fd = -EBADF;
    char path[512];
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to write");
    snprintf(path, sizeof path, "%s/by-%d", argv[1], (int)getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return attempt_say(ATTEMPT_REFUSED, "a file of its own in sticky %s: %m", argv[1]);
    r = fchmod(fd, 0666) < 0 ? -errno : write_at(AT_FDCWD, path);
    unlink(path);
    if (r < 0)
        return attempt_say(ATTEMPT_REFUSED, "a world-writable file of its own in %s: %s", argv[1],
                           strerror(-r));
    return attempt_say(ATTEMPT_THROUGH, "a world-writable file of its own in sticky %s: written",
                       argv[1]);
}

/* Gives everybody the right to write both, or takes it. */
static int set_open(const char *directory, bool is_open)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/" CANARY_FILE, directory);
    if (chmod(path, is_open ? 0666 : 0644) < 0)
        return -errno;
    snprintf(path, sizeof path, "%s/" CANARY_DIRECTORY, directory);
    return chmod(path, is_open ? 0777 : 0755) < 0 ? -errno : 0;
}

/* Makes the directory, which others may only pass, and both in it. */
static int make_canaries(const char *directory, bool is_open)
{
    _cleanup_close_ int fd = -EBADF;
    char path[PATH_MAX];

    if (mkdir(directory, 0711) < 0 || chmod(directory, 0711) < 0)
        return -errno;
    snprintf(path, sizeof path, "%s/" CANARY_FILE, directory);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    snprintf(path, sizeof path, "%s/" CANARY_DIRECTORY, directory);
    if (fd < 0 || mkdir(path, 0700) < 0)
        return -errno;
    return set_open(directory, is_open);
}

int world_make(const struct probe_run *run, const char *kind, bool is_open,
               struct world_canaries *canaries)
{
    int r;

    snprintf(canaries->session, sizeof canaries->session, "/tmp/.pam-sandbox-check-%s-%s",
             run->token, kind);
    if (snprintf(canaries->in_run, PATH_MAX, "%s/%s", run->run_dir, kind) >= PATH_MAX ||
        snprintf(canaries->in_state, PATH_MAX, "%s/%s", run->state_dir, kind) >= PATH_MAX ||
        snprintf(canaries->in_tmp, PATH_MAX, "%s%s", run->session_tmp,
                 canaries->session + strlen("/tmp")) >= PATH_MAX)
        return -ENAMETOOLONG;
    if ((r = make_canaries(canaries->in_run, is_open)) < 0 ||
        (r = make_canaries(canaries->in_state, is_open)) < 0)
        return r;
    return make_canaries(canaries->in_tmp, is_open);
}

static void say_not_made(struct probe_run *run, int r)
{
    probe_found(run, VERDICT_FAIL, "could not be tried: the canaries: %s", strerror(-r));
    probe_found_control(run, VERDICT_FAIL, "could not be tried: the canaries: %s", strerror(-r));
}

void probe_world_write(struct probe_run *run)
{
    const struct place session = PLACE_SANDBOX(run), outside = PLACE_OUTSIDE(run),
                       nobody = PLACE_NOBODY;
    struct world_canaries canaries;
    char sticky[PATH_MAX + 8];
    int r;

    if (kernel_policy_is_off(run, OPEN))
        return;
    r = world_make(run, "world", true, &canaries);
    snprintf(sticky, sizeof sticky, "%s/sticky", canaries.in_tmp);
    if (r == 0 && (mkdir(sticky, 0700) < 0 || chmod(sticky, 01777) < 0))
        r = -errno;
    if (r < 0) {
        say_not_made(run, r);
        return;
    }

    snprintf(sticky, sizeof sticky, "%s/sticky", canaries.session);
    struct call in_session[] = { CALL("world-write", canaries.session), CALL("world-own", sticky) };
    struct call tried[] = { CALL("world-write", canaries.in_run, canaries.in_state) };
    struct call control[] = { CALL("world-write-all", canaries.in_run, canaries.in_state) };

    place_run(run, &session, in_session, 2);
    place_run(run, &outside, tried, 1);
    place_run(run, &nobody, control, 1);
    place_judge(run, in_session[0].result != ATTEMPT_REFUSED ? &in_session[0] : tried);
    place_judge_control(run, in_session[1].result != ATTEMPT_THROUGH ? &in_session[1] : control);
}

void probe_world_write_later(struct probe_run *run)
{
    const struct place session = PLACE_SANDBOX(run), outside = PLACE_OUTSIDE(run),
                       nobody = PLACE_NOBODY;
    struct world_canaries canaries;
    struct visit visit;
    char line[64];
    int r;

    if (kernel_policy_is_off(run, OPEN))
        return;
    r = world_make(run, "later", false, &canaries);
    if (r < 0) {
        say_not_made(run, r);
        return;
    }

    /* The session is open for longer than that. */
    struct call early[] = { CALL("world-write", canaries.session) };
    struct call in_session[] = { CALL("world-write", canaries.session) };
    struct call tried[] = { CALL("world-write-late", canaries.in_state) };
    struct call control[] = { CALL("world-write-all", canaries.in_run, canaries.in_state) };

    place_run(run, &session, early, 1);
    visit_begin(run, &outside, tried, 1, &visit);
    visit_line(&visit, line, sizeof line);
    if ((r = set_open(canaries.in_run, true)) < 0 || (r = set_open(canaries.in_state, true)) < 0 ||
        (r = set_open(canaries.in_tmp, true)) < 0) {
        visit_abandon(&visit);
        say_not_made(run, r);
        return;
    }
    visit_end(&visit);
    place_run(run, &session, in_session, 1);
    place_run(run, &nobody, control, 1);

    if (early->result != ATTEMPT_REFUSED)
        place_judge(run, early);
    else
        place_judge(run, in_session->result != ATTEMPT_REFUSED ? in_session : tried);
    place_judge_control(run, control);
}
