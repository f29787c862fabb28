/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "systemd-generator/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"

static int fail(const struct emit *emit, const char *name, int error)
{
    fprintf(stderr, "%s/%s: cannot write: %s%s\n", emit->directory, name, strerror(-error),
            error == -EEXIST ? "; another generator made it, or this one ran twice" : "");
    return error;
}

/* Opens the directory that holds NAME, at most one level below the output directory, and sets
 * *base to the last component. */
static int open_parent(const struct emit *emit, const char *name, const char **base)
{
    const char *slash = strchr(name, '/');
    if (!slash) {
        *base = name;
        int fd = fcntl(emit->directory_fd, F_DUPFD_CLOEXEC, 3);
        return fd < 0 ? -errno : fd;
    }

    _cleanup_free_ char *parent = strndup(name, (size_t)(slash - name));
    if (!parent)
        return -ENOMEM;
    if (mkdirat(emit->directory_fd, parent, 0755) < 0 && errno != EEXIST)
        return -errno;
    int fd = openat(emit->directory_fd, parent, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *base = slash + 1;
    return fd;
}

int emit_file(const struct emit *emit, const char *name, const char *subject, const char *text)
{
    const char *base;
    _cleanup_close_ int parent = open_parent(emit, name, &base);
    if (parent < 0)
        return fail(emit, name, parent);

    _cleanup_close_ int fd =
        openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail(emit, name, -errno);

    int r = dprintf(fd,
                    "# Written by pam-sandbox-generator(8) from %s\n"
                    "# in %s. Edits are lost: change /etc/pam-sandbox/\n"
                    "# and run `sandboxctl apply`.\n\n%s",
                    subject, emit->origin, text);
    if (r < 0)
        return fail(emit, name, -errno);
    return 0;
}

int emit_link(const struct emit *emit, const char *name, const char *target)
{
    const char *base;
    _cleanup_close_ int parent = open_parent(emit, name, &base);
    if (parent < 0)
        return fail(emit, name, parent);
    if (symlinkat(target, parent, base) < 0)
        return fail(emit, name, -errno);
    return 0;
}
