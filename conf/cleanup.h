/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cleanup attributes. A variable so marked is released when it goes out of scope; steal_ptr() and
 * steal_fd() hand ownership on. Header only, libc only: every part may use it. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_freep(void *p)
{
    free(*(void **)p);
}

static inline void cleanup_strvp(char ***p)
{
    if (!*p)
        return;
    for (char **s = *p; *s; s++)
        free(*s);
    free(*p);
}

static inline void cleanup_closep(const int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
    }
}

static inline void cleanup_fclosep(FILE **f)
{
    if (*f)
        fclose(*f);
}

static inline void cleanup_closedirp(DIR **d)
{
    if (*d)
        closedir(*d);
}

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(cleanup_freep)
#define _cleanup_strv_ _cleanup_(cleanup_strvp)
#define _cleanup_close_ _cleanup_(cleanup_closep)
#define _cleanup_fclose_ _cleanup_(cleanup_fclosep)
#define _cleanup_closedir_ _cleanup_(cleanup_closedirp)

#define steal_ptr(p)                                                                               \
    ({                                                                                             \
        __typeof__(p) *_steal = &(p);                                                              \
        __typeof__(p) _stolen = *_steal;                                                           \
        *_steal = NULL;                                                                            \
        _stolen;                                                                                   \
    })

static inline int steal_fd(int *fd)
{
    int stolen = *fd;
    *fd = -1;
    return stolen;
}
