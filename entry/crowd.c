/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/crowd.h"

#include <errno.h>
#include <stdlib.h>

static struct crowd_user *find(struct crowd *crowd, uid_t uid)
{
    for (size_t i = 0; i < crowd->n_users; i++)
        if (crowd->users[i].uid == uid)
            return &crowd->users[i];
    return NULL;
}

int crowd_enter(struct crowd *crowd, uid_t uid)
{
    struct crowd_user *user = find(crowd, uid);
    const size_t max = uid == 0 ? CROWD_ROOT_MAX : CROWD_USER_MAX;

    if ((user && user->n >= max) || (uid != 0 && crowd->all >= CROWD_ALL_MAX))
        return -EUSERS;
    if (!user) {
        struct crowd_user *users =
            reallocarray(crowd->users, crowd->n_users + 1, sizeof *crowd->users);

        if (!users)
            return -ENOMEM;
        crowd->users = users;
        user = &users[crowd->n_users++];
        *user = (struct crowd_user){ .uid = uid };
    }
    user->n++;
    crowd->all += uid != 0;
    return 0;
}

void crowd_leave(struct crowd *crowd, uid_t uid)
{
    struct crowd_user *user = find(crowd, uid);

    if (!user)
        return;
    crowd->all -= uid != 0;
    if (--user->n == 0)
        *user = crowd->users[--crowd->n_users];
}

int crowd_open_session(struct crowd *crowd, uid_t uid)
{
    struct crowd_user *user = find(crowd, uid);

    if (!user || user->sessions >= CROWD_USER_SESSIONS_MAX ||
        crowd->sessions >= CROWD_SESSIONS_MAX ||
        (uid != 0 && crowd->others_sessions >= CROWD_OTHERS_SESSIONS_MAX))
        return -EUSERS;
    user->sessions++;
    crowd->sessions++;
    crowd->others_sessions += uid != 0;
    return 0;
}

void crowd_close_session(struct crowd *crowd, uid_t uid)
{
    struct crowd_user *user = find(crowd, uid);

    if (!user || user->sessions == 0)
        return;
    user->sessions--;
    crowd->sessions--;
    crowd->others_sessions -= uid != 0;
}

void crowd_done(struct crowd *crowd)
{
    free(crowd->users);
    *crowd = (struct crowd){ 0 };
}
