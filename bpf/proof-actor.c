/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The process that makes an attempt. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/proof-step.h"
#include "conf/cleanup.h"

static int keep_capabilities(uint64_t capabilities)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        data[i].permitted = data[i].effective = (uint32_t)(capabilities >> (32 * i));
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/* group: one that the process is in beside its own, or NULL. */
static int become(uid_t uid, gid_t gid, const gid_t *group, uint64_t capabilities)
{
    if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(group ? 1 : 0, group) < 0 ||
        setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        return -errno;

    /* No process of the same user may take this one over, whatever fs.suid_dumpable says. As long
     * as it has all capabilities, none can (cap_ptrace_access_check() in security/commoncap.c). */
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        return -errno;
    return keep_capabilities(capabilities);
}

static int take_part(const struct proof_stage *stage, const struct proof_step *step)
{
    /* PROOF_GROUP_FILE is of this one, which every host has. */
    const gid_t root = 0;
    int r = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC);

    /* What is started may print something. */
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        return -errno;

    if (step->who == PROOF_SANDBOX)
        r = become(stage->subject->uid, stage->subject->gid, NULL, step->capabilities);
    else if (step->who == PROOF_LOCKED)
        r = become(stage->subject->locked_uid, stage->subject->locked_gid, &root,
                   step->capabilities);
    else if (step->who == PROOF_OTHER)
        r = become(PROOF_OTHER_ID, PROOF_OTHER_ID, step->of_lock ? &root : NULL,
                   step->capabilities);
    if (r < 0)
        return r;

    /* Last, as a change of user clears it. */
    return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;
}

/* What a child leaves in the pipe; without it, it was ended by somebody else. */
struct answer {
    int untried;
    int result;
};

static _Noreturn void act(const struct proof_stage *stage, const struct proof_step *step, int to)
{
    struct answer answer = { .untried = take_part(stage, step) };

    if (answer.untried == 0)
        answer.result = step->attempt(stage, step->object);
    _exit(write(to, &answer, sizeof answer) == sizeof answer ? 0 : 1);
}

/* Ends it, and what it started, if it does not end itself. */
static struct proof_outcome wait_for(pid_t child, int from)
{
    _cleanup_close_ int process = pidfd_open(child, 0);
    struct pollfd ended = { .fd = process, .events = POLLIN };
    int status, events = process < 0 ? -1 : poll(&ended, 1, PROOF_STEP_SEC * 1000), error = errno;
    struct answer answer;

    if (events != 1)
        (void)kill(-child, SIGKILL);
    if (waitpid(child, &status, 0) < 0)
        return (struct proof_outcome){ PROOF_UNTRIED, -errno };
    if (events < 0)
        return (struct proof_outcome){ PROOF_UNTRIED, -error };
    if (events == 0)
        return (struct proof_outcome){ PROOF_STUCK };
    if (WIFSIGNALED(status))
        return (struct proof_outcome){ PROOF_KILLED, WTERMSIG(status) };
    if (read(from, &answer, sizeof answer) != sizeof answer)
        return (struct proof_outcome){ PROOF_UNTRIED, -EIO };
    if (answer.untried < 0)
        return (struct proof_outcome){ PROOF_UNTRIED, answer.untried };

    return (struct proof_outcome){ PROOF_RESULT, answer.result };
}

struct proof_outcome proof_act(const struct proof_stage *stage, const struct proof_step *step)
{
    _cleanup_close_ int from = -EBADF, to = -EBADF;
    int channel[2];
    pid_t child;

    if (pipe2(channel, O_CLOEXEC | O_NONBLOCK) < 0)
        return (struct proof_outcome){ PROOF_UNTRIED, -errno };
    from = channel[0];
    to = channel[1];

    child = fork();
    if (child < 0)
        return (struct proof_outcome){ PROOF_UNTRIED, -errno };
    if (child == 0) {
        (void)setpgid(0, 0);
        act(stage, step, to);
    }

    /* In the child as well: whichever comes first. */
    (void)setpgid(child, child);
    close(steal_fd(&to));
    return wait_for(child, from);
}
