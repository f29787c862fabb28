/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denials-mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "conf/cleanup.h"

/* Blanks and backslashes of a name are \NNN in octal, proc_pid_mountinfo(5). In place. */
static void decode(char *name)
{
    char *out = name;

    for (const char *in = name; *in; in++) {
        unsigned code;

        if (*in == '\\' && sscanf(in + 1, "%3o", &code) == 1 && strspn(in + 1, "01234567") >= 3) {
            *out++ = (char)code;
            in += 3;
        } else
            *out++ = *in;
    }
    *out = '\0';
}

/* A line's device, the directory in it that is mounted, and where. They point into the line. */
static bool parse(char *line, __u32 *device, char **root, char **point)
{
    unsigned major, minor;
    int begin = 0;
    char *rest;

    if (sscanf(line, "%*u %*u %u:%u %n", &major, &minor, &begin) != 2 || begin == 0)
        return false;
    *device = major << 20 | minor;
    rest = line + begin;
    *root = strsep(&rest, " ");
    *point = strsep(&rest, " ");
    if (!rest)
        return false;
    decode(*root);
    decode(*point);
    return **root == '/' && **point == '/';
}

/* What is left of the object below a directory; NULL: it is not there. */
static const char *below(const char *object, const char *directory)
{
    size_t length = strlen(directory);

    if (strcmp(directory, "/") == 0)
        return object;
    if (strncmp(object, directory, length) != 0 ||
        (object[length] != '/' && object[length] != '\0'))
        return NULL;
    return object + length;
}

static int join(const char *point, const char *rest, char path[DENIAL_PATH_SIZE])
{
    if (strcmp(point, "/") == 0 && *rest == '/')
        point = "";
    else if (strcmp(rest, "/") == 0)
        rest = "";
    int length = snprintf(path, DENIAL_PATH_SIZE, "%s%s", point, rest);
    return length >= DENIAL_PATH_SIZE ? -ENAMETOOLONG : 0;
}

int denials_mounts_find(FILE *mountinfo, const struct denial *denial, char path[DENIAL_PATH_SIZE])
{
    char object[DENIAL_OBJECT_SIZE + 1] = { 0 };
    _cleanup_free_ char *line = NULL;
    size_t size = 0;

    memcpy(object, denial->object, denial->object_length);
    if (object[0] != '/')
        return -ENOENT;
    while (getline(&line, &size, mountinfo) >= 0) {
        char *root, *point;
        const char *rest;
        __u32 device;

        if (!parse(line, &device, &root, &point) || device != denial->device)
            continue;
        rest = below(object, root);
        if (rest)
            return join(point, rest, path);
    }
    return -ENOENT;
}
