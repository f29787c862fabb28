/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/canary.h"

#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"
#include "conf/paths.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>

int canary_token(struct canary *canary)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return -EIO;
    snprintf(canary->token, sizeof canary->token, "%016" PRIx64, number);
    return 0;
}

/* Both directories are root's and others may pass; the inner one is for the group to write. */
static int make_directory(const char *outer, const char *inner, gid_t gid)
{
    if (mkdir(outer, 0711) < 0 || mkdir(inner, 0700) < 0 || chmod(outer, 0711) < 0 ||
        chown(inner, 0, gid) < 0 || chmod(inner, 0770) < 0)
        return -errno;
    return 0;
}

int canary_make(struct canary *canary, const struct config_sandbox *sandbox)
{
    int r = canary_token(canary);

    if (r < 0)
        return r;
    snprintf(canary->run_dir, sizeof canary->run_dir, "%s/check-%s", RUN_DIR, canary->token);
    snprintf(canary->state_dir, sizeof canary->state_dir, "%s/check-%s", STATE_DIR, canary->token);
    snprintf(canary->run_open, sizeof canary->run_open, "%s/check-%s/open", RUN_DIR, canary->token);
    snprintf(canary->state_open, sizeof canary->state_open, "%s/check-%s/open", STATE_DIR,
             canary->token);

    if (sandbox->private_tmp)
        snprintf(canary->session_tmp, sizeof canary->session_tmp, "%s/%" PRIu32 "/tmp",
                 PRIVATE_TMPFS_DIR, (uint32_t)sandbox->uid);
    else
        strcpy(canary->session_tmp, "/tmp");

    r = make_directory(canary->run_dir, canary->run_open, sandbox->uid);
    if (r < 0)
        return r;
    return make_directory(canary->state_dir, canary->state_open, sandbox->uid);
}

/* rm(1) walks by descriptors: where there is no view, the sandbox can write in these. */
void canary_remove_tree(const char *path)
{
    const char *const rm[] = { "rm", "-rf", "--one-file-system", "--", path, NULL };
    char output[256];

    if (*path && access(path, F_OK) == 0)
        attempt_capture(rm, "", output, sizeof output);
}

void canary_remove(struct canary *canary)
{
    static const char *const temporary[] = { "/tmp", "/var/tmp", "/dev/shm" };
    static const char *const kinds[] = { "host", "own" }, *const trees[] = { "world", "later",
                                                                             "container" };
    char path[PATH_MAX + 8];

    if (!*canary->token)
        return;
    if (*canary->run_open) {
        snprintf(path, sizeof path, "%s/late", canary->run_open);
        umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
    }
    canary_remove_tree(canary->run_dir);
    canary_remove_tree(canary->state_dir);

    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++) {
            snprintf(path, sizeof path, "%s/.pam-sandbox-check-%s-%s", temporary[i], canary->token,
                     kinds[j]);
            unlink(path);
        }
    for (size_t i = 0; *canary->session_tmp && i < sizeof trees / sizeof *trees; i++)
        if (snprintf(path, sizeof path, "%s/.pam-sandbox-check-%s-%s", canary->session_tmp,
                     canary->token, trees[i]) < (int)sizeof path)
            canary_remove_tree(path);
}
