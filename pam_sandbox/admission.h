/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who may come in through which PAM service. Plain functions: no PAM handle, no logging. */

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The two services that lead to a confined session. */
enum admission_service {
    ADMISSION_RUN0,    /* run0(1) and whatever else asks for it by PAMName= */
    ADMISSION_MANAGER, /* user@.service */
    ADMISSION_OTHER,   /* everything else: closed to sandbox users */
};

enum admission_service admission_service(const char *service);

/* Whether a service asks in its account phase about who calls it, and not about whom that becomes.
 */
bool admission_is_of_caller(const char *service);

/* A sandbox user as NSS knows it. The strings belong to whoever holds the struct. */
struct admission_user {
    char *name;
    uid_t uid;
    gid_t gid;
    char *home;
    char *shell;
};

void admission_user_done(struct admission_user *user);

/* Looks in the file that the NSS plugin answers from, so that a user whom NSS calls a sandbox's is
 * one here as well. By name, and by uid where name is NULL. Returns 1 and fills *ret, 0 when there
 * is no such sandbox user, or a negative errno; a missing file means that there is none. */
int admission_find_user(const char *passwd_file, const char *name, uid_t uid,
                        struct admission_user *ret);
