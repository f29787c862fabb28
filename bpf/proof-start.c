/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attempts that start another program, and the copies of this one that some of them start. */

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    /* Whoever ended it has interrupted this attempt. */
    if (WIFSIGNALED(*status))
        (void)raise(WTERMSIG(*status));

    return 0;
}

static int start_helper(const char *path, const char *task, const char *argument)
{
    char *const arguments[] = { (char *)HELPER, (char *)task, (char *)argument, NULL };
    int status, r = start(path, arguments, &status);

    if (r < 0)
        return r;
    if (!WIFEXITED(status) || WEXITSTATUS(status) >= HELPER_STATUS_END)
        return -ENOEXEC;

    return -WEXITSTATUS(status);
}

int proof_start_copy(const struct proof_stage *stage, const char *name)
{
    (void)stage;
    return start_helper(name, name, NULL);
}

int proof_start_host(const struct proof_stage *stage, const char *path)
{
    char *const arguments[] = { (char *)path, NULL };
    int status, r = start(path, arguments, &status);

    (void)stage;
    return r == -ENOENT ? 0 : r;
}

int proof_write_map_copy(const struct proof_stage *stage, const char *name)
{
    char id[16];

    snprintf(id, sizeof id, "%u", stage->map);
    return start_helper(name, "map", id);
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
    if (strcmp(argv[1], "map") == 0 && argc == 3)
        _exit(-proof_open_map((uint32_t)strtoul(argv[2], NULL, 10)));
    _exit(EINVAL);
}
