/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "pam_sandbox/admission.h"

static const struct {
    const char *name;
    enum admission_service service;
} admission_services[] = {
    /* systemd src/run/run.c: the PAM name of run0's transient unit. */
    { "systemd-run0", ADMISSION_RUN0 },
    /* user@.service: PAMName=. */
    { "systemd-user", ADMISSION_MANAGER },
};

enum admission_service admission_service(const char *service)
{
    for (size_t i = 0; i < sizeof admission_services / sizeof admission_services[0]; i++)
        if (strcmp(admission_services[i].name, service) == 0)
            return admission_services[i].service;

    return ADMISSION_OTHER;
}

/* sudo(8) and its like ask for the caller, as the password is the caller's. */
bool admission_is_of_caller(const char *service)
{
    static const char *const services[] = { "sudo", "sudo-i", "doas" };

    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (strcmp(services[i], service) == 0)
            return true;

    return false;
}

void admission_user_done(struct admission_user *user)
{
    free(user->name);
    free(user->home);
    free(user->shell);
    *user = (struct admission_user){ 0 };
}

static int copy_user(const struct passwd *pw, struct admission_user *ret)
{
    struct admission_user user = {
        .name = strdup(pw->pw_name),
        .uid = pw->pw_uid,
        .gid = pw->pw_gid,
        .home = strdup(pw->pw_dir),
        .shell = strdup(pw->pw_shell),
    };

    if (!user.name || !user.home || !user.shell) {
        admission_user_done(&user);
        return -ENOMEM;
    }

    *ret = user;
    return 1;
}

int admission_find_user(const char *passwd_file, const char *name, uid_t uid,
                        struct admission_user *ret)
{
    _cleanup_fclose_ FILE *file = fopen(passwd_file, "re");
    char line[4096];
    struct passwd entry, *found;

    if (!file)
        return errno == ENOENT ? 0 : -errno;

    for (;;) {
        int r = fgetpwent_r(file, &entry, line, sizeof line, &found);
        if (r == ENOENT)
            return 0;
        if (r != 0)
            return -r;
        if (name ? strcmp(found->pw_name, name) == 0 : found->pw_uid == uid)
            return copy_user(found, ret);
    }
}
