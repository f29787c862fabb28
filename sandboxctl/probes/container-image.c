/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's side of containers: an image of the program that runs attempts and its libraries,
 * and its storage, all in one directory. */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define PROGRAM PKGLIBEXECDIR "/attempt"

/* podman with its storage in the directory, and all else that it keeps, of which some is in the
 * home whatever it is told. */
struct podman {
    char root[PATH_MAX], runroot[PATH_MAX], tmp[PATH_MAX];
};

static void podman_fill(struct podman *podman, const char *directory)
{
    snprintf(podman->root, sizeof podman->root, "--root=%s/root", directory);
    snprintf(podman->runroot, sizeof podman->runroot, "--runroot=%s/run", directory);
    snprintf(podman->tmp, sizeof podman->tmp, "--tmpdir=%s/tmp", directory);
    setenv("HOME", directory, true);
}

/* Makes the directories above path. Returns 0 or a negative errno. */
static int make_above(const char *path)
{
    char above[PATH_MAX];

    if (snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
        return -ENAMETOOLONG;
    for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(above, 0755) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

/* Copies what is at path, wherever a link leads, to the same path below root. */
static int copy_below(const char *root, const char *path)
{
    _cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC), to = -EBADF;
    char target[PATH_MAX];
    struct stat st;
    ssize_t n;

    if (from < 0 || fstat(from, &st) < 0)
        return -errno;
    if (snprintf(target, sizeof target, "%s%s", root, path) >= (int)sizeof target)
        return -ENAMETOOLONG;
    int r = make_above(target);
    if (r < 0)
        return r;
    to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (to < 0)
        return -errno;
    while ((n = sendfile(to, from, NULL, (size_t)st.st_size)) > 0)
        ;
    return n < 0 ? -errno : 0;
}

/* Each object that this very program is made of, but for what the kernel makes itself. */
static int copy_object(struct dl_phdr_info *info, size_t size, void *userdata)
{
    (void)size;
    return info->dlpi_name[0] == '/' ? copy_below(userdata, info->dlpi_name) : 0;
}

/* The step that must work, in the form that needs no shell. */
static int write_containerfile(const char *context, char *const *step)
{
    _cleanup_fclose_ FILE *file = NULL;
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/Containerfile", context) >= (int)sizeof path)
        return -ENAMETOOLONG;
    file = fopen(path, "we");
    if (!file)
        return -errno;
    fputs("FROM scratch\nCOPY root /\nRUN [\"" PROGRAM "\"", file);
    for (; *step; step++)
        fprintf(file, ", \"%s\"", *step);
    fputs("]\n", file);
    return fclose(steal_ptr(file)) != 0 ? -EIO : 0;
}

static int make_context(const char *context, char *const *step)
{
    char root[PATH_MAX];

    if (snprintf(root, sizeof root, "%s/root", context) >= (int)sizeof root)
        return -ENAMETOOLONG;
    int r = make_above(root);
    if (r < 0 || (r = copy_below(root, PROGRAM)) < 0 ||
        (r = dl_iterate_phdr(copy_object, root)) < 0)
        return r;
    return write_containerfile(context, step);
}

/* What the step said, if it got to that; podman's last word does not tell. */
static const char *step_said(char *output)
{
    for (enum attempt_result r = ATTEMPT_REFUSED; r <= ATTEMPT_UNTRIED; r++) {
        char *line = strstr(output, attempt_result_name(r));

        if (line && (line == output || line[-1] == '\n')) {
            line[strcspn(line, "\n")] = '\0';
            return line;
        }
    }
    return attempt_last_line(output);
}

/* container-build DIRECTORY IMAGE ATTEMPT…: gets through when there is an image of that name, whose
 * build runs the attempt, which gets through. Its storage is in the directory. */
enum attempt_result attempt_container_build(int argc, char **argv)
{
    char context[PATH_MAX], output[4096];
    struct podman podman;

    if (argc < 4)
        return attempt_say(ATTEMPT_UNTRIED, "no image to build");
    snprintf(context, sizeof context, "%s/context", argv[1]);
    podman_fill(&podman, argv[1]);
    int r = make_context(context, argv + 3);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "what an image is built of, in %s: %s", context,
                           strerror(-r));

    const char *const build[] = { "podman",     podman.root, podman.runroot, podman.tmp, "build",
                                  "--no-cache", "--tag",     argv[2],        context,    NULL };
    r = attempt_capture(build, "", output, sizeof output);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "podman: %s", strerror(-r));
    if (r > 0)
        return attempt_say(ATTEMPT_REFUSED, "building an image: podman ended with status %d: %s", r,
                           step_said(output));
    return attempt_say(ATTEMPT_THROUGH, "an image, with a step that runs %s: built", argv[3]);
}

/* container-remove DIRECTORY: gets through when it is gone. What containers left belongs to
 * subordinate ids, so that podman has to remove it, which keeps some of its own meanwhile. */
enum attempt_result attempt_container_remove(int argc, char **argv)
{
    struct podman podman;
    char output[4096];

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no directory to remove");
    podman_fill(&podman, argv[1]);
    const char *const theirs[] = { "podman", podman.root, podman.runroot, podman.tmp, "unshare",
                                   "rm",     "-rf",       argv[1],        NULL };
    const char *const own[] = { "rm", "-rf", argv[1], NULL };

    attempt_capture(theirs, "", output, sizeof output);
    int r = attempt_capture(own, "", output, sizeof output);
    if (r != 0)
        return attempt_say(ATTEMPT_REFUSED, "removing %s: %s", argv[1], attempt_last_line(output));
    return attempt_say(ATTEMPT_THROUGH, "%s: removed", argv[1]);
}
