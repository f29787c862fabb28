/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/streams.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Documentation/admin-guide/devices.txt of the kernel. */
#define DEV_NULL makedev(1, 3)
#define PTS_MAJOR_FIRST 136
#define PTS_MAJOR_LAST 143

static bool can(int flags, enum stream stream)
{
    const int mode = flags & O_ACCMODE;

    return stream == STREAM_TERMINAL ? mode == O_RDWR
                                     : mode == (stream == STREAM_INPUT ? O_RDONLY : O_WRONLY);
}

static bool is_pseudoterminal(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && major(st->st_rdev) >= PTS_MAJOR_FIRST &&
           major(st->st_rdev) <= PTS_MAJOR_LAST;
}

/* Only to read, and only where nobody else could write it: what a session has open it can open
 * anew, past its read-only view of the file's mount, as far as the mode lets it. And what it could
 * write it might change after the command has ended. */
static const char *refuse_file(const struct stat *st, enum stream stream)
{
    if (stream != STREAM_INPUT)
        return "is a file that it would write; pass a pipe";
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "is a file that others may write";
    return NULL;
}

const char *stream_refused(int fd, enum stream stream, uid_t owner)
{
    const int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags < 0 || fstat(fd, &st) < 0)
        return "is no open descriptor";
    if (flags & O_PATH)
        return "was opened with O_PATH";

    if (stream == STREAM_TERMINAL && !is_pseudoterminal(&st))
        return "is not the far end of a pseudoterminal";
    if (stream != STREAM_TERMINAL && S_ISCHR(st.st_mode) && st.st_rdev == DEV_NULL)
        return can(flags, stream) || (flags & O_ACCMODE) == O_RDWR ? NULL : "is not open that way";
    if (stream != STREAM_TERMINAL && S_ISCHR(st.st_mode))
        return is_pseudoterminal(&st) ? "is a terminal, which the session could type into"
                                      : "is a device";
    if (stream != STREAM_TERMINAL && !S_ISFIFO(st.st_mode) && !S_ISREG(st.st_mode))
        return "is neither a pipe nor a file";

    if (st.st_uid != owner)
        return "belongs to somebody else";
    if (!can(flags, stream))
        return "is not open that way alone";
    return S_ISREG(st.st_mode) ? refuse_file(&st, stream) : NULL;
}
