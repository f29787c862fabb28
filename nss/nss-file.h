/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Opening one of the flat files, and the one thing that both plugins believe of every id in them.
 * For the code of the two plugins only: it runs in any process, PID 1's included, so libc is all
 * there is and nothing but the file is waited for. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Ids below this one belong to root and to the system (SYS_UID_MAX of login.defs(5) is 999): no
 * sandbox has one, so an entry that claims one is not answered, whoever wrote it. */
#define NSS_ID_MIN 1000

/* Not empty (strchr(3) finds the NUL as well), and not one of NIS's "+name" and "-name", which
 * libc's readers let through. */
static inline bool nss_name_is_plain(const char *name)
{
    return !strchr("+-", name[0]);
}

/* A stream for one thread, closed on exec and no cancellation point. NULL and errno when it cannot
 * be opened. Unit tests bring an nss_file_open() of their own, that opens below a test's root. */
FILE *nss_file_open(const char *path);
