/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The PAM handlers of the sandbox's sessions, and what a session can do to them. */
#include "sandboxctl/probes/handlers.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* Whether /proc/PID/status is that of a PAM handler of the uid. The files of a process that is not
 * dumpable are root's, so that their owner says nothing. */
static bool is_handler(const char *pid, uid_t uid)
{
    _cleanup_fclose_ FILE *file = NULL;
    char path[300], line[256];
    bool named = false, owned = false;

    snprintf(path, sizeof path, "/proc/%s/status", pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        unsigned id;

        if (strncmp(line, "Name:\t(sd-pam", strlen("Name:\t(sd-pam")) == 0)
            named = true;
        if (sscanf(line, "Uid:\t%u", &id) == 1)
            owned = id == uid;
    }
    return named && owned;
}

int handlers_find(uid_t uid, pid_t **ret)
{
    _cleanup_closedir_ DIR *proc = opendir("/proc");
    _cleanup_free_ pid_t *list = NULL;
    const struct dirent *entry;
    int n = 0;

    if (!proc)
        return -errno;
    while ((entry = readdir(proc))) {
        pid_t *larger;

        if (!isdigit((unsigned char)entry->d_name[0]) || !is_handler(entry->d_name, uid))
            continue;
        larger = reallocarray(list, n + 1, sizeof *list);
        if (!larger)
            return -ENOMEM;
        list = larger;
        list[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    *ret = steal_ptr(list);
    return n;
}

int handlers_become(const struct config_sandbox *sandbox)
{
    gid_t gid = sandbox->uid;

    if (setgroups(1, &gid) < 0 || setresgid(gid, gid, gid) < 0 ||
        setresuid(sandbox->uid, sandbox->uid, sandbox->uid) < 0)
        return -errno;
    return 0;
}

/* What can be done to the process; NULL: nothing. */
static const char *touch_process(pid_t pid)
{
    char path[64], buffer[8];
    /* Reading fails with EFAULT where the access itself was granted. */
    struct iovec local = { buffer, sizeof buffer }, remote = { NULL, sizeof buffer };
    _cleanup_close_ int memory = -EBADF, root = -EBADF;

    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) {
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
        return "ptrace";
    }
    if (process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT)
        return "process_vm_readv";
    if (process_vm_writev(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT)
        return "process_vm_writev";
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory >= 0)
        return "/proc/PID/mem";
    snprintf(path, sizeof path, "/proc/%d/root", (int)pid);
    root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0)
        return "/proc/PID/root";
    return NULL;
}

/* handler PID…: gets through when something can be done to one of them; with no PID, to a child. */
enum attempt_result attempt_handler(int argc, char **argv)
{
    const char *done;
    pid_t child;

    for (int i = 1; i < argc; i++) {
        done = touch_process((pid_t)strtol(argv[i], NULL, 10));
        if (done)
            return attempt_say(ATTEMPT_THROUGH, "%s on a PAM handler: done", done);
    }
    if (argc > 1)
        return attempt_say(ATTEMPT_REFUSED,
                           "ptrace, memory and /proc/PID/root of %d PAM handlers: "
                           "refused",
                           argc - 1);

    child = fork();
    if (child < 0)
        return attempt_say(ATTEMPT_UNTRIED, "fork: %m");
    if (child == 0) {
        alarm(ATTEMPT_SECONDS);
        for (;;)
            pause();
    }
    done = touch_process(child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (done)
        return attempt_say(ATTEMPT_THROUGH, "%s on a child: done", done);
    return attempt_say(ATTEMPT_REFUSED, "ptrace, memory and /proc/PID/root of a child");
}

void probe_pam_handler(struct probe_run *run)
{
    const struct place place = PLACE_SANDBOX(run);
    _cleanup_free_ pid_t *handlers = NULL;
    char pids[32][16];
    const char *tried[34] = { "handler" };
    int n = handlers_find(run->sandbox->uid, &handlers);

    if (n < 2) {
        probe_found(run, VERDICT_FAIL,
                    "could not be tried: %d PAM handlers where at least two must "
                    "be",
                    n < 0 ? 0 : n);
        n = 0;
    }
    for (int i = 0; i < n && i < 32; i++) {
        snprintf(pids[i], sizeof pids[i], "%d", (int)handlers[i]);
        tried[i + 1] = pids[i];
        tried[i + 2] = NULL;
    }

    struct call calls[] = { CALL("handler"), { .argv = tried } };
    place_run(run, &place, calls, n > 0 ? 2 : 1);
    if (n > 0)
        place_judge(run, &calls[1]);
    place_judge_control(run, &calls[0]);
}
