/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a session may write. The canaries are directories of root's that the sandbox's group may
 * write, so that nothing but the view can refuse it. */
#include "sandboxctl/probes/view.h"
#include "sandboxctl/probes/handlers.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "conf/paths.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FILE_NAME ".pam-sandbox-check"

/* Makes and removes a file in the directory. Returns 0 or a negative errno. */
static int write_directory(const char *directory)
{
    _cleanup_close_ int fd = -EBADF;
    char path[512];

    snprintf(path, sizeof path, "%s/" FILE_NAME "-%d", directory, (int)getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    unlink(path);
    return 0;
}

/* write DIRECTORY…: gets through when one of them can be written. */
enum attempt_result attempt_write(int argc, char **argv)
{
    int r = 0;

    for (int i = 1; i < argc; i++) {
        r = write_directory(argv[i]);
        if (r == 0)
            return attempt_say(ATTEMPT_THROUGH, "a file in %s: made", argv[i]);
        if (r != -EROFS && r != -EACCES && r != -EPERM)
            return attempt_say(ATTEMPT_UNTRIED, "a file in %s: %s", argv[i], strerror(-r));
    }
    if (argc < 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to write");
    return attempt_say(ATTEMPT_REFUSED, "a file in %s%s: %s", argv[1],
                       argc > 2 ? " and elsewhere" : "", strerror(-r));
}

/* write-late DIRECTORY: the same, after standard input was closed. What is not there is as good as
 * what cannot be written. */
enum attempt_result attempt_write_late(int argc, char **argv)
{
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to write");
    attempt_tell("ready");
    attempt_wait();
    r = write_directory(argv[1]);
    if (r == 0)
        return attempt_say(ATTEMPT_THROUGH, "a file in a mount made after the session began: made");
    return attempt_say(ATTEMPT_REFUSED, "a file in a mount made after the session began: %s",
                       strerror(-r));
}

static int write_file(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return -errno;
    return 0;
}

/* nested ATTEMPT…: as root of new user and mount namespaces, makes everything writable that it can,
 * then tries the attempt there. */
enum attempt_result attempt_nested(int argc, char **argv)
{
    const struct attempt *attempt = argc > 1 ? attempt_find(argv[1]) : NULL;
    uid_t uid = getuid();
    gid_t gid = getgid();
    char map[64];

    if (!attempt)
        return attempt_say(ATTEMPT_UNTRIED, "no attempt to nest");
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "no namespaces of its own: %m");

    snprintf(map, sizeof map, "0 %u 1\n", (unsigned)uid);
    if (write_file("/proc/self/setgroups", "deny") < 0 || write_file("/proc/self/uid_map", map) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "mapping its uid: %m");
    snprintf(map, sizeof map, "0 %u 1\n", (unsigned)gid);
    if (write_file("/proc/self/gid_map", map) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "mapping its gid: %m");

    /* Each must fail; the attempt shows whether it did. */
    struct mount_attr writable = { .attr_clr = MOUNT_ATTR_RDONLY };
    (void)!mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &writable, sizeof writable);
    (void)!mount_setattr(AT_FDCWD, "/", 0, &writable, sizeof writable);
    (void)!mount_setattr(AT_FDCWD, RUN_DIR, 0, &writable, sizeof writable);
    (void)!mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
    (void)!mount(NULL, "/run", NULL, MS_REMOUNT | MS_BIND, NULL);
    /* Below a mount there may be another. */
    (void)!umount2("/", MNT_DETACH);

    return attempt->run(argc - 1, argv + 1);
}

/* The two canaries, and the home. */
static void probe_write(struct probe_run *run, const char *prefix)
{
    const struct place place = PLACE_SANDBOX(run);
    char home[512];
    const char *tried[8], *control[8];
    size_t n = 0;

    snprintf(home, sizeof home, "%s/%s", STATE_HOME_DIR, run->sandbox->name);
    if (prefix) {
        tried[n] = prefix;
        control[n++] = prefix;
    }
    tried[n] = control[n] = "write";
    n++;
    tried[n] = run->canary_state;
    control[n] = home;
    tried[n + 1] = run->canary_run;
    control[n + 1] = NULL;
    tried[n + 2] = NULL;

    struct call calls[] = { { .argv = tried }, { .argv = control } };
    place_run(run, &place, calls, 2);
    place_judge(run, &calls[0]);
    place_judge_control(run, &calls[1]);
}

bool view_is_off(struct probe_run *run)
{
    if (run->sandbox->filesystem_view)
        return false;
    probe_skip(run,
               "filesystem-view is false: sessions see the host's processes, and write its files, "
               "as any user does");
    return true;
}

void probe_view_root(struct probe_run *run)
{
    if (!view_is_off(run))
        probe_write(run, NULL);
}

void probe_view_manager(struct probe_run *run)
{
    if (!view_is_off(run))
        probe_write(run, "in-service");
}

void probe_view_socket(struct probe_run *run)
{
    if (!view_is_off(run))
        probe_write(run, "in-socket");
}

/* Whether namespaces of an unprivileged user are turned off on this host. */
static bool has_no_user_namespaces(void)
{
    static const char *const switches[] = {
        "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/unprivileged_userns_clone", /* Debian's */
    };

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        _cleanup_fclose_ FILE *file = fopen(switches[i], "re");

        if (file && fgetc(file) == '0')
            return true;
    }
    return false;
}

void probe_view_nested(struct probe_run *run)
{
    if (view_is_off(run))
        return;
    if (has_no_user_namespaces())
        probe_skip(run, "this host gives users no namespaces");
    else
        probe_write(run, "nested");
}

/* In the mount namespace of a process, as the sandbox user, whether each directory can be written.
 * The new process never runs a program: one of the sandbox's uid outside its sessions that could
 * be traced would be a way out. Returns 1 when one could, 0 when none, or a negative errno. */
static int write_in_view_of(struct probe_run *run, pid_t pid, const char *const *directories)
{
    _cleanup_close_ int ns = -EBADF;
    char path[64];
    int status;
    pid_t child;

    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
    ns = open(path, O_RDONLY | O_CLOEXEC);
    if (ns < 0)
        return -errno;

    child = fork();
    if (child == 0) {
        int r;

        if (setns(ns, CLONE_NEWNS) < 0)
            _exit(errno);
        r = handlers_become(run->sandbox);
        for (; r == 0 && *directories; directories++) {
            r = write_directory(*directories);
            if (r == 0)
                _exit(255);
            if (r == -EROFS || r == -EACCES || r == -EPERM)
                r = 0;
        }
        _exit(-r);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -errno;
    if (!WIFEXITED(status))
        return -EPROTO;
    return WEXITSTATUS(status) == 255 ? 1 : -WEXITSTATUS(status);
}

void probe_view_pam(struct probe_run *run)
{
    const char *const canaries[] = { run->canary_state, run->canary_run, NULL };
    _cleanup_free_ pid_t *handlers = NULL;
    char home[512];
    const char *const homes[] = { home, NULL };
    int n, r = 0, wrote = 1;

    if (view_is_off(run))
        return;
    snprintf(home, sizeof home, "%s/%s", STATE_HOME_DIR, run->sandbox->name);
    /* The session that the check holds open, and the user manager, have one each. */
    n = handlers_find(run->sandbox->uid, &handlers);
    if (n < 2) {
        probe_found(run, VERDICT_FAIL,
                    "could not be tried: %d PAM handlers where at least two must "
                    "be",
                    n < 0 ? 0 : n);
        probe_found_control(run, VERDICT_FAIL, "could not be tried: too few PAM handlers");
        return;
    }

    for (int i = 0; i < n && r == 0 && wrote == 1; i++) {
        r = write_in_view_of(run, handlers[i], canaries);
        wrote = write_in_view_of(run, handlers[i], homes);
        /* The handler of a session that ended meanwhile. */
        if (r == -ENOENT || wrote == -ENOENT || r == -ESRCH) {
            r = 0;
            wrote = 1;
        }
    }

    if (r == 0)
        probe_found(run, VERDICT_OK,
                    "a file in %s and elsewhere, in the view of %d PAM handlers: "
                    "read-only",
                    run->canary_state, n);
    else if (r == 1)
        probe_found(run, VERDICT_FAIL, "a file in %s or %s, in the view of a PAM handler: made",
                    run->canary_state, run->canary_run);
    else
        probe_found(run, VERDICT_FAIL, "could not be tried: the view of a PAM handler: %s",
                    strerror(-r));
    if (wrote == 1)
        probe_found_control(run, VERDICT_OK, "a file in %s, in the view of each: made", home);
    else
        probe_found_control(run, VERDICT_FAIL, "a file in %s, in the view of a PAM handler: %s",
                            home, wrote == 0 ? "refused" : strerror(-wrote));
}

void probe_view_late_mount(struct probe_run *run)
{
    const struct place place = PLACE_SESSION(run);
    struct visit visit;
    char late[512], line[64];
    int r = -EAGAIN;

    if (view_is_off(run))
        return;
    snprintf(late, sizeof late, "%s/late", run->canary_run);
    if (mkdir(late, 0755) < 0 && errno != EEXIST) {
        probe_found(run, VERDICT_FAIL, "could not be tried: %s: %m", late);
        probe_found_control(run, VERDICT_FAIL, "could not be tried: %s: %m", late);
        return;
    }

    struct call calls[] = { CALL("write-late", late) };
    visit_begin(run, &place, calls, 1, &visit);
    if (visit_line(&visit, line, sizeof line)) {
        r = mount("tmpfs", late, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777,size=64k");
        r = r < 0 ? -errno : write_directory(late);
    }
    visit_end(&visit);
    umount2(late, MNT_DETACH);
    rmdir(late);

    place_judge(run, calls);
    if (r == 0)
        probe_found_control(run, VERDICT_OK, "a file in a mount made on the host: made by root");
    else
        probe_found_control(run, VERDICT_FAIL, "a mount on %s that root writes: %s", late,
                            strerror(-r));
}
