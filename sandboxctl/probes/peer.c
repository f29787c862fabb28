/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One sandbox and the next: each is to the other what any user is, and with the kernel's policy
 * less than that. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "conf/paths.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* signal PID: gets through when it could be sent one. */
enum attempt_result attempt_signal(int argc, char **argv)
{
    const pid_t pid = argc == 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;

    if (pid <= 1)
        return attempt_say(ATTEMPT_UNTRIED, "no process to signal");
    if (kill(pid, 0) == 0)
        return attempt_say(ATTEMPT_THROUGH, "a signal to process %d: may be sent", (int)pid);
    return attempt_say(ATTEMPT_REFUSED, "a signal to process %d: %m", (int)pid);
}

/* From Linux 6.15 on, who has CAP_PERFMON or CAP_SYS_ADMIN reads the memory of any process,
 * whatever LSMs say of ptrace (may_access_mm() in kernel/fork.c). */
static void drop_perfmon(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, data) < 0)
        return;
    data[CAP_TO_INDEX(CAP_PERFMON)].effective &= ~CAP_TO_MASK(CAP_PERFMON);
    data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
    (void)syscall(SYS_capset, &header, data);
}

/* look-into PID: gets through when its environment can be read, or it can be traced. */
enum attempt_result attempt_look_into(int argc, char **argv)
{
    const pid_t pid = argc == 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
    _cleanup_close_ int fd = -EBADF;
    char path[64], buffer[16];

    if (pid <= 1)
        return attempt_say(ATTEMPT_UNTRIED, "no process to look into");
    drop_perfmon();
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, buffer, sizeof buffer) > 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: read", path);
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) {
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
        return attempt_say(ATTEMPT_THROUGH, "tracing process %d: done", (int)pid);
    }
    return attempt_say(ATTEMPT_REFUSED, "environment and memory of process %d: %m", (int)pid);
}

/* Runs an attempt in a process of its own without a word. */
static enum attempt_result try_quietly(char **argv)
{
    int status, argc = 0;
    pid_t pid = fork();

    if (pid == 0) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
            _exit(ATTEMPT_UNTRIED);
        while (argv[argc])
            argc++;
        _exit(attempt_run(argc, argv));
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return ATTEMPT_UNTRIED;
    return WEXITSTATUS(status);
}

/* peer-hold HOME RUNTIME-DIRECTORY SOCKET ABSTRACT PORT: listens at both, tells its process id,
 * waits until standard input is closed, and gets through when it reaches all of this itself. */
enum attempt_result attempt_peer_hold(int argc, char **argv)
{
    _cleanup_close_ int by_path = -EBADF, by_name = -EBADF;
    char pid[16];

    if (argc != 6)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to hold");
    by_path = connect_listen(argv[3], SOCK_STREAM);
    by_name = connect_listen(argv[4], SOCK_STREAM);
    if (by_path < 0 || by_name < 0)
        return attempt_say(ATTEMPT_UNTRIED, "listening at %s and %s: %s", argv[3], argv[4],
                           strerror(by_path < 0 ? -by_path : -by_name));
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    attempt_tell("%s", pid);
    attempt_wait();

    char *const own[][6] = {
        { (char *)"write", argv[1] },
        { (char *)"enter", argv[2] },
        { (char *)"signal", pid },
        { (char *)"look-into", pid },
        { (char *)"connect", argv[3] },
        { (char *)"connect", argv[4] },
        { (char *)"reach", (char *)"tcp", (char *)"-", (char *)"127.0.0.1", argv[5] },
    };
    /* The last is of one that has a proxy. */
    const size_t n = sizeof own / sizeof *own - (strcmp(argv[5], "-") == 0);
    enum attempt_result result = ATTEMPT_THROUGH;
    size_t i;

    for (i = 0; i < n && result == ATTEMPT_THROUGH; i++)
        result = try_quietly((char **)own[i]);
    unlink(argv[3]);
    if (result != ATTEMPT_THROUGH)
        return attempt_say(result, "of its own: %s %s", own[i - 1][0], own[i - 1][1]);
    return attempt_say(ATTEMPT_THROUGH, "its own files, process, sockets and proxy: reached");
}

/* peer-listen DIRECTORY: the same where no view and no mode stands between, with a file that
 * everybody may write. */
enum attempt_result attempt_peer_listen(int argc, char **argv)
{
    _cleanup_close_ int fd = -EBADF, file = -EBADF;
    char path[PATH_MAX];

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to listen in");
    snprintf(path, sizeof path, "%s/file", argv[1]);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || fchmod(file, 0666) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %m", path);
    snprintf(path, sizeof path, "%s/socket", argv[1]);
    fd = connect_listen(path, SOCK_STREAM);
    if (fd < 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", path, strerror(-fd));
    attempt_tell("ready");
    attempt_wait();
    return attempt_say(ATTEMPT_THROUGH, "was there until told to end");
}

/* The next in the order of names; NULL: there is only one. */
static const struct config_sandbox *next_sandbox(const struct probe_run *run)
{
    const size_t n = run->config->n_sandboxes;

    for (size_t i = 0; i < n; i++)
        if (strcmp(run->config->sandboxes[i].name, run->sandbox->name) == 0)
            return n > 1 ? &run->config->sandboxes[(i + 1) % n] : NULL;
    return NULL;
}

/* What of the other one it tries. */
struct peer {
    char home[PATH_MAX];
    char runtime[64];
    char by_path[128];
    char by_name[64];
    char directory[256]; /* of the other one's, where there is no view */
    char file[264];
    char socket[264];
    char pid[16];
    char port[8]; /* of its proxy; "-": it has none */
};

static void name_all(const struct probe_run *run, const struct config_sandbox *other,
                     struct peer *peer)
{
    snprintf(peer->home, sizeof peer->home, "%s/%s", STATE_HOME_DIR, other->name);
    snprintf(peer->runtime, sizeof peer->runtime, "/run/user/%u", (unsigned)other->uid);
    snprintf(peer->by_path, sizeof peer->by_path, "%s/pam-sandbox-check-%s", peer->runtime,
             run->token);
    snprintf(peer->by_name, sizeof peer->by_name, "@pam-sandbox-check-%s-peer", run->token);
    snprintf(peer->directory, sizeof peer->directory, "%s/peer", run->run_dir);
    snprintf(peer->file, sizeof peer->file, "%s/file", peer->directory);
    snprintf(peer->socket, sizeof peer->socket, "%s/socket", peer->directory);
    if (other->egress.proxy)
        snprintf(peer->port, sizeof peer->port, "%u", config_egress_port(other));
    else
        strcpy(peer->port, "-");
}

/* Makes the directory for the other one, and has it listen there. */
static void listen_outside(struct probe_run *run, const struct config_sandbox *other,
                           const struct peer *peer, struct call *call, struct visit *visit)
{
    const struct place place = { .uid = other->uid, .gid = other->uid, .resident = true };
    char line[64];

    if (mkdir(peer->directory, 0711) < 0 || chmod(peer->directory, 0711) < 0 ||
        chown(peer->directory, other->uid, other->uid) < 0) {
        *visit = (struct visit){ .pid = -1, .in = -EBADF, .out = -EBADF, .err = -EBADF };
        snprintf(call->text, sizeof call->text, "%s: %m", peer->directory);
        return;
    }
    visit_begin(run, &place, call, 1, visit);
    visit_line(visit, line, sizeof line);
}

/* The first of the calls that was not refused, or the last. */
static const struct call *worst_of(const struct call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (calls[i].result != ATTEMPT_REFUSED)
            return &calls[i];
    return &calls[n - 1];
}

/* Where only the kernel's policy stands between: outside the view, by abstract name, and with
 * capabilities. Returns the worst of them. */
static void try_kernel(struct probe_run *run, const struct config_sandbox *other,
                       const struct peer *peer, struct call *worst)
{
    const struct place session = PLACE_SANDBOX(run), outside = PLACE_OUTSIDE(run);
    struct place privileged = PLACE_OUTSIDE(run);
    struct call listening[] = { CALL("peer-listen", peer->directory) };
    struct call calls[] = { CALL("connect", peer->socket), CALL("connect", peer->by_name),
                            CALL("open", peer->file), CALL("look-into", peer->pid) };
    struct visit visit;

    privileged.privileged = true;
    listen_outside(run, other, peer, listening, &visit);
    place_run(run, &session, calls, 2);
    place_run(run, &outside, &calls[2], 1);
    place_run(run, &privileged, &calls[3], 1);
    visit_end(&visit);
    *worst = listening->result != ATTEMPT_THROUGH ? *listening : *worst_of(calls, 4);
}

void probe_peer_sandbox(struct probe_run *run)
{
    const struct config_sandbox *other = next_sandbox(run);
    const struct place session = PLACE_SANDBOX(run);
    struct call kernel = { .result = ATTEMPT_REFUSED };
    struct place others = {};
    struct visit visit;
    struct peer peer;
    const struct call *worst;

    if (!other) {
        probe_skip(run, "there is only one sandbox");
        return;
    }
    name_all(run, other, &peer);
    others.user = other->name;

    struct call hold[] = { CALL("peer-hold", peer.home, peer.runtime, peer.by_path, peer.by_name,
                                peer.port) };
    struct call calls[] = { CALL("enter", peer.home),
                            CALL("write", peer.home),
                            CALL("enter", peer.runtime),
                            CALL("signal", peer.pid),
                            CALL("look-into", peer.pid),
                            CALL("connect", peer.by_path),
                            CALL("reach", "tcp", "-", "127.0.0.1", peer.port) };
    /* The last is of one that has a proxy. */
    const size_t n = sizeof calls / sizeof *calls - !other->egress.proxy;

    visit_begin(run, &others, hold, 1, &visit);
    if (!visit_line(&visit, peer.pid, sizeof peer.pid)) {
        visit_end(&visit);
        probe_found(run, VERDICT_FAIL, "could not be tried: a session of %s: %s", other->name,
                    hold->text);
        place_judge_control(run, hold);
        return;
    }
    place_run(run, &session, calls, n);
    if (run->config->host.kernel_policy)
        try_kernel(run, other, &peer, &kernel);
    visit_end(&visit);

    worst = worst_of(calls, n);
    if (worst->result == ATTEMPT_REFUSED && kernel.result != ATTEMPT_REFUSED)
        worst = &kernel;
    if (worst->result != ATTEMPT_REFUSED)
        place_judge(run, worst);
    else if (run->config->host.kernel_policy)
        probe_found(run, VERDICT_OK, "home, runtime directory, process, sockets, proxy of %s: %s",
                    other->name, worst->text);
    else
        probe_found(
            run, VERDICT_OK,
            "home, runtime directory, process, proxy of %s: refused; not its abstract sockets, "
            "as kernel-policy is false",
            other->name);
    place_judge_control(run, hold);
}
