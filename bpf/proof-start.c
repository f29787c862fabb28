/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attempts that start another program, and the copies of this one that some of them start. */

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/proof-step.h"

/* What a copy is called, followed by what it shall do. It ends with an errno. */
#define HELPER "pam-sandbox-proof"

/* An exit status that is no errno: the dynamic linker's, say. */
#define HELPER_STATUS_END 127

static int start(const char *path, char *const arguments[], int *status)
{
    static char *const environment[] = { NULL };
    pid_t child;
    int r = posix_spawn(&child, path, NULL, NULL, arguments, environment);

    if (r != 0)
        return -r;
    if (waitpid(child, status, 0) < 0)
        return -errno;

    return 0;
}

/* Whoever ended what was started has interrupted this attempt. */
static void end_like(int status)
{
    if (WIFSIGNALED(status))
        (void)raise(WTERMSIG(status));
}

static int start_helper(const char *path, const char *task, const char *argument, int *status)
{
    char *const arguments[] = { (char *)HELPER, (char *)task, (char *)argument, NULL };

    return start(path, arguments, status);
}

static int helper_result(int status)
{
    end_like(status);
    return WEXITSTATUS(status) < HELPER_STATUS_END ? -WEXITSTATUS(status) : -ENOEXEC;
}

int proof_start_copy(const struct proof_stage *stage, const char *name)
{
    int status, r = start_helper(name, name, NULL, &status);

    (void)stage;
    return r < 0 ? r : helper_result(status);
}

int proof_start_capable(const struct proof_stage *stage, const char *name)
{
    int status, r = start_helper(name, name, NULL, &status);

    (void)stage;
    if (r < 0)
        return r;
    /* Where "bpf" is not among the LSMs, a program comes too late to say no; it kills. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return -EPERM;

    return helper_result(status);
}

int proof_start_host(const struct proof_stage *stage, const char *path)
{
    char *const arguments[] = { (char *)path, NULL };
    int status, r = start(path, arguments, &status);

    (void)stage;
    if (r == 0)
        end_like(status);
    return r == -ENOENT ? 0 : r;
}

int proof_write_map_copy(const struct proof_stage *stage, const char *name)
{
    char id[16];
    int status, r;

    snprintf(id, sizeof id, "%u", stage->map);
    r = start_helper(name, "map", id, &status);
    return r < 0 ? r : helper_result(status);
}

static bool has_capability(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[CAP_TO_INDEX(PROOF_FILE_CAPABILITY)].permitted &
            CAP_TO_MASK(PROOF_FILE_CAPABILITY)) != 0;
}

void proof_helper(int argc, char *const argv[])
{
    if (argc < 2 || strcmp(argv[0], HELPER) != 0)
        return;

    if (strcmp(argv[1], PROOF_PLAIN_PROGRAM) == 0)
        _exit(0);
    /* With no_new_privs, or from a file system mounted with nosuid, it is started without. */
    if (strcmp(argv[1], PROOF_SET_ID_PROGRAM) == 0)
        _exit(geteuid() == 0 ? 0 : EOPNOTSUPP);
    if (strcmp(argv[1], PROOF_CAPABLE_PROGRAM) == 0)
        _exit(has_capability() ? 0 : EOPNOTSUPP);
    if (strcmp(argv[1], "map") == 0 && argc == 3)
        _exit(-proof_open_map((uint32_t)strtoul(argv[2], NULL, 10)));
    _exit(EINVAL);
}
