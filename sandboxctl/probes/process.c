/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other users' processes. */
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/view.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CANARY "PAM_SANDBOX_CANARY"

/* environ PID: gets through when that process's environment can be read and is not empty. */
enum attempt_result attempt_environ(int argc, char **argv)
{
    _cleanup_close_ int fd = -EBADF;
    char path[64], buffer[4096];
    ssize_t n;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no process to look at");

    snprintf(path, sizeof path, "/proc/%s/environ", argv[1]);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, buffer, sizeof buffer);
    if (n > 0 && memmem(buffer, n, CANARY, strlen(CANARY)))
        return attempt_say(ATTEMPT_THROUGH, "%s of another user: read", path);
    if (n >= 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s has no canary", path);
    if (errno != ENOENT && errno != EACCES && errno != EPERM)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %m", path);
    return attempt_say(ATTEMPT_REFUSED, "%s of another user: %m", path);
}

static bool is_listed(const char *pid)
{
    _cleanup_closedir_ DIR *proc = opendir("/proc");
    const struct dirent *entry;

    while (proc && (entry = readdir(proc)))
        if (strcmp(entry->d_name, pid) == 0)
            return true;
    return false;
}

/* see-process PID: gets through when /proc lists it, has it by name, or shows its command line. */
enum attempt_result attempt_see_process(int argc, char **argv)
{
    char path[64];
    struct stat st;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no process to look at");
    if (stat("/proc/self/status", &st) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "/proc/self/status: %m");

    if (is_listed(argv[1]))
        return attempt_say(ATTEMPT_THROUGH, "/proc lists another user's process");
    snprintf(path, sizeof path, "/proc/%s/cmdline", argv[1]);
    if (stat(path, &st) == 0)
        return attempt_say(ATTEMPT_THROUGH, "%s of another user: there", path);
    return attempt_say(ATTEMPT_REFUSED, "%s of another user: %m", path);
}

/* A process of nobody's, and the attempt on it from the sandbox and from root. */
static void probe_other(struct probe_run *run, const char *attempt)
{
    const char *const environment[] = { CANARY "=canary", NULL };
    const struct place other = { .uid = NOBODY_ID, .gid = NOBODY_ID, .environment = environment };
    const struct place sandbox = PLACE_SANDBOX(run), root = PLACE_ROOT;
    struct call hold[] = { CALL("hold") };
    struct visit visit;
    char pid[16], line[64];

    visit_begin(run, &other, hold, 1, &visit);
    snprintf(pid, sizeof pid, "%d", (int)visit.pid);

    struct call tried[] = { CALL(attempt, pid) }, control[] = { CALL(attempt, pid) };
    if (visit_line(&visit, line, sizeof line)) {
        place_run(run, &sandbox, tried, 1);
        place_run(run, &root, control, 1);
    }
    visit_end(&visit);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_environ_other(struct probe_run *run)
{
    probe_other(run, "environ");
}

void probe_proc_other(struct probe_run *run)
{
    if (!view_is_off(run))
        probe_other(run, "see-process");
}
