/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which descriptors of a caller may become a session's. The session keeps them for as long as it
 * likes, may open them again by /proc/self/fd, and is another user: so what the caller did not make
 * itself is refused, and so is whatever gives more than bytes in one direction. The command has the
 * same table, to know what it has to copy in place of passing. libc only. */

#include <sys/types.h>

enum stream {
    STREAM_INPUT,    /* the session reads it */
    STREAM_OUTPUT,   /* it writes it */
    STREAM_TERMINAL, /* the far end of a pseudoterminal, for run0 and not for the session */
};

/* NULL: a descriptor that owner may pass; else why not, in words that follow "it". */
const char *stream_refused(int fd, enum stream stream, uid_t owner);
