/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that give who runs them another user's, another group's or root's privilege. Each is
 * executed with so little address space that the kernel ends it before its first instruction: what
 * counts is whether execve(2) came to the point of no return. */
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/programs.h"
#include "sandboxctl/probes/words.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The kernel makes the stack of a new program larger than this after it has let go of the old one:
 * setup_arg_pages() in fs/exec.c. */
#define ADDRESS_SPACE (64 * 1024)

#define ALLOWED "/usr/bin/newuidmap"

/* In the new process: writes the errno, if it is still this program. */
__attribute__((noreturn)) static void execute(char *path, int report)
{
    const struct rlimit space = { ADDRESS_SPACE, ADDRESS_SPACE }, none = { 0, 0 };
    char *const argv[] = { path, NULL }, *const environment[] = { NULL };
    int r = 0;

    if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_AS, &space) < 0)
        r = ENOTRECOVERABLE;
    else if (execve(path, argv, environment) < 0)
        r = errno;
    (void)!write(report, &r, sizeof r);
    _exit(0);
}

/* set-id PROGRAM: gets through when the kernel executes it. */
enum attempt_result attempt_set_id(int argc, char **argv)
{
    _cleanup_close_ int from = -EBADF, to = -EBADF;
    char path[PATH_MAX];
    int channel[2], r = 0, status;
    pid_t pid;

    if (argc != 2 || word_decode(argv[1], path, sizeof path) <= 0)
        return attempt_say(ATTEMPT_UNTRIED, "no program to execute");
    if (pipe2(channel, O_CLOEXEC) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "pipe: %m");
    from = channel[0];
    to = channel[1];
    pid = fork();
    if (pid < 0)
        return attempt_say(ATTEMPT_UNTRIED, "fork: %m");
    if (pid == 0)
        execute(path, to);
    close(steal_fd(&to));
    if (read(from, &r, sizeof r) != sizeof r)
        r = 0;
    /* Whatever its effective ids are now, the real one is ours: kill(2). */
    kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "waitpid: %m");

    switch (r) {
    case 0:
        return attempt_say(ATTEMPT_THROUGH, "exec of %s: passed", argv[1]);
    case EPERM:
    case EACCES:
        return attempt_say(ATTEMPT_REFUSED, "exec of %s: %s", argv[1], strerror(r));
    case ENOENT:
    case ENOTDIR:
        return attempt_say(ATTEMPT_REFUSED, "exec of %s: not there for it", argv[1]);
    default:
        return attempt_say(ATTEMPT_UNTRIED, "exec of %s: %s", argv[1], strerror(r));
    }
}

/* Those that are wanted and not allowed to it; the words stay the list's. */
static char **choose(struct probe_run *run, const struct programs *programs, size_t *n)
{
    char **words = calloc(programs->n + 1, sizeof *words);

    if (!words)
        abort();
    *n = 0;
    for (size_t i = 0; i < programs->n; i++)
        if (!programs->list[i].is_allowed && probe_wants_object(run, programs->list[i].word))
            words[(*n)++] = programs->list[i].word;
    return words;
}

void probe_set_id(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY, root = PLACE_ROOT;
    _cleanup_(programs_done) struct programs programs = {};
    _cleanup_free_ struct call *tried = NULL, *control = NULL;
    _cleanup_free_ char **words = NULL;
    struct call allowed[] = { CALL("set-id", ALLOWED) };
    const bool has_allowed = access(ALLOWED, X_OK) == 0;
    size_t n;
    int r;

    if (kernel_policy_is_off(run, "each set-id program of the host is one that it may run"))
        return;
    r = programs_find(run->sandbox, &programs);
    if (r < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: looking for programs: %s",
                    strerror(-r));
        probe_found_control(run, VERDICT_FAIL, "could not be tried: looking for programs");
        return;
    }
    words = choose(run, &programs, &n);
    if (n == 0) {
        probe_skip(run, "this host has no such program that it could reach");
        return;
    }

    tried = place_run_each(run, &sandbox, "set-id", words, n);
    control = place_run_each(run, &nobody, "set-id", words, n);
    if (has_allowed)
        place_run(run, &sandbox, allowed, 1);

    for (size_t i = 0; i < n; i++) {
        const struct call *call = &control[i];
        struct call by_root[] = { CALL("set-id", words[i]) };

        /* It may be a program of some group's. A kernel policy that is too wide says EPERM. */
        if (call->result == ATTEMPT_REFUSED && strstr(call->text, strerror(EACCES))) {
            place_run(run, &root, by_root, 1);
            call = by_root;
        }
        run->object = words[i];
        place_judge(run, &tried[i]);
        if (has_allowed && allowed->result != ATTEMPT_THROUGH)
            place_judge_control(run, allowed);
        else
            place_judge_control(run, call);
    }
    if (programs.incomplete) {
        run->object = NULL;
        probe_skip(run, "there are more files than it looks at: some may not have been seen");
    }
}
