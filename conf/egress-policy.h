/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The proxy's rules, merged and checked. Plain data: whoever holds a struct egress_policy only
 * reads it, and a unit test may make one by hand. egress.conf(5) says what each option means.
 *
 * Lists are NULL-terminated vectors of strings and never NULL themselves after egress_load*(). */

#include <stdint.h>

#include "conf/config.h"

/* Names of rules are shorter. */
#define EGRESS_NAME_SIZE 64

enum egress_upgrade {
    EGRESS_UPGRADE_NONE,
    EGRESS_UPGRADE_WEBSOCKET,
};

/* What may be sent, and where to. One without hosts, methods or paths allows nothing. */
struct egress_rule {
    char *name;
    char **hosts;   /* NAME or NAME:PORT; NAME is ports 80 and 443 */
    char **methods; /* GET alone for a WebSocket */
    char **paths;   /* patterns of egress-path.h */
    enum egress_upgrade upgrade;

    /* Where it was named first; file is NULL when made by hand. */
    char *file;
    unsigned line;
};

struct egress_policy {
    char *feed_file;           /* NULL: none, or feed_url */
    char *feed_url;            /* NULL: none; where it is fetched from */
    uint64_t feed_floor;       /* a feed with fewer names is not believed */
    struct egress_rule *rules; /* in the order in which they were named */
    size_t n_rules;
};

/* Reads, merges and checks the rules that come with the package and the file at path, which must
 * exist; NULL is the administrator's default file, which need not. Every file must be root's, or
 * whose the tree at root is. Returns 0 and a policy that the caller frees, -EINVAL after problem()
 * was called at least once, or -ENOMEM. */
int egress_load_etc(const char *root, const char *path, config_problem_t problem, void *userdata,
                    struct egress_policy **ret);

/* Reads what is in force for a sandbox; -ENOENT: nothing is. */
int egress_load_snapshot(const char *root, const char *sandbox, config_problem_t problem,
                         void *userdata, struct egress_policy **ret);

/* Writes a policy in the syntax it is read in; reading that gives the same policy. Returns 0 or a
 * negative errno. */
int egress_write(const struct egress_policy *policy, FILE *out);

/* Where the feed of a sandbox is, for the caller to free; *ret is NULL for a policy without one. 0
 * or -ENOMEM. */
int egress_feed_path(const struct egress_policy *policy, const char *sandbox, char **ret);

void egress_free(struct egress_policy *policy);

static inline void egress_freep(struct egress_policy **policy)
{
    egress_free(*policy);
}
