/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A session's limits: those that pam_systemd passes to the session's scope, as the strings it
 * reads from PAM data, and those that belong to the process. */

#include "conf/config.h"

/* One item of PAM data. pam_systemd(8) names the keys; it ignores a value it cannot parse, which
 * is why conf/ has checked the numbers. */
struct limits_item {
    const char *key;
    uint64_t (*value)(const struct config_limits *limits);
    const char *unit; /* after the number */
};

/* Ends with a NULL key. */
extern const struct limits_item limits_items[];

/* The item's value as pam_systemd reads it; *ret is NULL when there is no such limit, else the
 * caller frees it. Returns 0 or -ENOMEM. */
int limits_format(const struct limits_item *item, const struct config_limits *limits, char **ret);

/* Sets the calling process's resource limits, setrlimit(2); where the host's hard limit is lower
 * and cannot be raised, that one stands. Returns 0 or a negative errno. */
int limits_set_process(const struct config_limits *limits);

/* How many sessions of uid logind has that are open, the one being opened included; its user
 * manager's is none. A negative errno when logind's records cannot be read. */
int limits_count_sessions(uid_t uid);
