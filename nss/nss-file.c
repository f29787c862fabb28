/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/nss-file.h"

#include <errno.h>
#include <stdio_ext.h>

FILE *nss_file_open(const char *path)
{
    /* "c": a thread cancelled in the middle of a look-up would leak the stream (fopen(3)). */
    FILE *stream = fopen(path, "rce");
    if (!stream)
        return NULL;
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    /* libc's readers ask for the position of every line, which costs a system call each until the
     * stream knows where it is (glibc bug 26257). A file that cannot be sought is none of ours. */
    if (fseeko(stream, 0, SEEK_SET) < 0) {
        int saved = errno;
        fclose(stream);
        errno = saved;
        return NULL;
    }
    return stream;
}
