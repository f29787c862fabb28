/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single files and directories: what must not be entered, and what must be. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>

#define KVM "/dev/kvm"

/* enter DIRECTORY: gets through when it can be listed or entered. */
enum attempt_result attempt_enter(int argc, char **argv)
{
    _cleanup_closedir_ DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to enter");
    if (dir)
        return attempt_say(ATTEMPT_THROUGH, "%s: listed", argv[1]);
    if (errno != EACCES && errno != EPERM && errno != ENOENT)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %m", argv[1]);
    if (chdir(argv[1]) == 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: entered", argv[1]);
    return attempt_say(ATTEMPT_REFUSED, "%s: %m", argv[1]);
}

/* open FILE: gets through when it can be opened for reading and writing. */
enum attempt_result attempt_open(int argc, char **argv)
{
    _cleanup_close_ int fd = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no file to open");
    if (fd >= 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: opened", argv[1]);
    return attempt_say(ATTEMPT_REFUSED, "%s: %m", argv[1]);
}

void probe_private_path(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    struct place owner = {};
    struct call tried[] = { CALL("enter", run->object) },
                control[] = { CALL("enter", run->object) };
    struct stat st;

    if (stat(run->object, &st) < 0) {
        probe_skip(run, "this host has no %s", run->object);
        return;
    }
    owner.uid = st.st_uid;
    owner.gid = st.st_gid;
    place_run(run, &sandbox, tried, 1);
    place_run(run, &owner, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

/* Whether the group of the device is one of the sandbox's. */
static bool has_group_of(const struct config_sandbox *sandbox, const char *path)
{
    const struct group *group;
    struct stat st;

    if (stat(path, &st) < 0 || !(group = getgrgid(st.st_gid)))
        return false;
    for (char **g = sandbox->groups; *g; g++)
        if (strcmp(*g, group->gr_name) == 0)
            return true;
    return false;
}

void probe_kvm(struct probe_run *run)
{
    const struct place place = PLACE_SANDBOX(run);
    struct call control[] = { CALL("open", KVM) };
    _cleanup_close_ int fd = open(KVM, O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        probe_skip(run, "this host's root cannot open " KVM " either: %m");
        return;
    }
    if (!has_group_of(run->sandbox, KVM)) {
        probe_skip(run, "the group of " KVM " is not among the groups of %s", run->sandbox->name);
        return;
    }
    place_run(run, &place, control, 1);
    place_judge_control(run, control);
}
