/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Temporary directories. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const char *const directories[] = { "/tmp", "/var/tmp", "/dev/shm" };

#define N_DIRECTORIES (sizeof directories / sizeof *directories)

static void file_path(char *path, size_t size, const char *directory, const char *name)
{
    snprintf(path, size, "%s/.pam-sandbox-check-%s", directory, name);
}

static int make_file(const char *path, mode_t mode)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    return fd < 0 ? -errno : 0;
}

/* find-file NAME: gets through when it is in one of the temporary directories. */
enum attempt_result attempt_find_file(int argc, char **argv)
{
    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no file to find");
    for (size_t i = 0; i < N_DIRECTORIES; i++) {
        char path[256];

        file_path(path, sizeof path, directories[i], argv[1]);
        if (access(path, F_OK) == 0)
            return attempt_say(ATTEMPT_THROUGH, "a file of the host's in %s: found",
                               directories[i]);
        if (errno != ENOENT && errno != EACCES)
            return attempt_say(ATTEMPT_UNTRIED, "%s: %m", path);
    }
    return attempt_say(ATTEMPT_REFUSED, "a file of the host's in /tmp, /var/tmp, /dev/shm: not "
                                        "found");
}

/* plant NAME: makes it in each, and gets through when all of them took it. */
enum attempt_result attempt_plant(int argc, char **argv)
{
    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no file to plant");
    for (size_t i = 0; i < N_DIRECTORIES; i++) {
        char path[256];
        int r;

        file_path(path, sizeof path, directories[i], argv[1]);
        r = make_file(path, 0644);
        if (r < 0)
            return attempt_say(ATTEMPT_REFUSED, "a file in %s: %s", directories[i], strerror(-r));
    }
    return attempt_say(ATTEMPT_THROUGH, "a file of its own in /tmp, /var/tmp, /dev/shm: made");
}

/* unplant NAME [keep]: gets through when it is there in each, and takes it away. */
enum attempt_result attempt_unplant(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < N_DIRECTORIES; i++) {
        char path[256];

        file_path(path, sizeof path, directories[i], argv[1]);
        if (access(path, F_OK) < 0)
            return attempt_say(ATTEMPT_REFUSED, "a file of its own in %s: %m", directories[i]);
        if (argc == 2)
            unlink(path);
    }
    return attempt_say(ATTEMPT_THROUGH, "a file of its own in /tmp, /var/tmp, /dev/shm: seen");
}

/* Removes what stands on the host under the name; whether anything did, and where. */
static const char *remove_from_host(const char *name)
{
    const char *found = NULL;

    for (size_t i = 0; i < N_DIRECTORIES; i++) {
        char path[256];

        file_path(path, sizeof path, directories[i], name);
        if (unlink(path) == 0)
            found = directories[i];
    }
    return found;
}

void probe_tmp_private(struct probe_run *run)
{
    const struct place place = PLACE_SANDBOX(run), another = PLACE_SESSION(run);
    char hosts[80], own[80];
    const char *planted = NULL;
    int r = 0;

    if (!run->sandbox->private_tmp) {
        probe_skip(run, "private-tmp is false: /tmp, /var/tmp and /dev/shm are the host's");
        return;
    }

    snprintf(hosts, sizeof hosts, "%s-host", run->token);
    snprintf(own, sizeof own, "%s-own", run->token);
    for (size_t i = 0; i < N_DIRECTORIES && r == 0; i++) {
        char path[256];

        file_path(path, sizeof path, directories[i], hosts);
        r = make_file(path, 0644);
    }

    struct call first[] = { CALL("find-file", hosts), CALL("plant", own) };
    struct call second[] = { CALL("in-service", "unplant", own, "keep"), CALL("unplant", own) };

    if (r == 0) {
        place_run(run, &place, first, 2);
        place_run(run, &another, second, 2);
        planted = remove_from_host(own);
    }
    remove_from_host(hosts);

    if (r < 0)
        probe_found(run, VERDICT_FAIL, "could not be tried: a file of root's: %s", strerror(-r));
    else if (planted)
        probe_found(run, VERDICT_FAIL, "a file of its own arrived in the host's %s", planted);
    else
        place_judge(run, &first[0]);

    if (first[1].result != ATTEMPT_THROUGH)
        place_judge_control(run, &first[1]);
    else
        place_judge_control(run, second[0].result != ATTEMPT_THROUGH ? &second[0] : &second[1]);
}
