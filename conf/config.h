/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The configuration, merged and checked. Plain data: whoever holds a struct config only reads it,
 * and a unit test may make one by hand. pam-sandbox.conf(5) says what each option means.
 *
 * Lists are NULL-terminated vectors of strings and never NULL themselves after config_load*().
 * Limits that are not set are CONFIG_UNLIMITED. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define CONFIG_UNLIMITED UINT64_MAX

struct config_limits {
    uint64_t sessions;     /* open sessions at once */
    uint64_t tasks;        /* of all sessions and the user manager together */
    uint64_t memory;       /* bytes, likewise */
    uint64_t cpu_weight;   /* 1 to 10000, systemd.resource-control(5) */
    uint64_t io_weight;    /* 1 to 10000, likewise */
    uint64_t runtime_usec; /* of one session, microseconds */
    uint64_t open_files;   /* RLIMIT_NOFILE, soft and hard */
};

struct config_id_range {
    uint32_t start;
    uint32_t count; /* 0: no subordinate ids */
};

/* An address and port that a sandbox may reach around its proxy. */
struct config_endpoint {
    int family;          /* AF_INET or AF_INET6 */
    uint8_t address[16]; /* network byte order; the first 4 for AF_INET */
    uint16_t port;       /* host byte order */
};

struct config_host {
    char *lock_user; /* NULL: none. The next five are about this user alone. */
    bool one_way;
    char **lock_allow_set_id; /* absolute, normalised */
    bool deny_reads;
    char *reads_exempt; /* name of a program; NULL: none */
    bool unlink_worker_diagnostics;
    char **stop_services;
    bool deny_metadata;
    bool kernel_policy;
};

struct config_run0 {
    char **deny_env;             /* fnmatch(3) patterns of variable names */
    struct config_limits limits; /* of one session; sessions is never set */
};

struct config_egress {
    bool proxy;
    uint16_t port; /* 0: config_egress_port() derives one */
    char **allow;
    struct config_endpoint *direct;
    size_t n_direct;
    char *policy; /* path, NULL: the administrator's default file, if there is one */
};

struct config_local {
    char **allow_sockets;
    uint16_t *allow_tcp_ports; /* host byte order */
    size_t n_allow_tcp_ports;
};

struct config_sandbox {
    char *name; /* user name, and its group's */
    uid_t uid;  /* and gid */
    struct config_id_range subids;
    char **groups;
    char **env; /* NAME=VALUE */
    bool filesystem_view;
    bool private_tmp;
    char **private_paths; /* absolute, normalised */
    char **allow_users;   /* who may enter, beside root */
    char **allow_groups;  /* likewise, all members */
    char **allow_env;     /* fnmatch(3) patterns of names that who enters may set */
    struct config_limits limits;
    struct config_egress egress;
    struct config_local local;
};

/* The proxy's rules of one file, merged with those that are shipped, and checked: one for each
 * value of egress.policy among the sandboxes that have a proxy. */
struct config_policy {
    char *path; /* as in egress.policy; NULL: the default */
    char *text; /* in the syntax of egress.conf(5) */
};

struct config {
    struct config_host host;
    struct config_run0 run0;
    struct config_sandbox *sandboxes; /* sorted by name, strcmp(3) order */
    size_t n_sandboxes;
    struct config_policy *policies; /* of config_load_etc() and config_load_snapshot() alone */
    size_t n_policies;
    struct config_origins *origins; /* where each value came from; NULL when made by hand */
};

/* Problems found while reading. message says what is wrong, on which option, and what would be
 * right; file and line say where, line 0 for the file as a whole. Valid during the call only. */
typedef void (*config_problem_t)(const char *file, unsigned line, const char *message,
                                 void *userdata);

/* Where to read from. root is a directory that stands for / ("" for the running system), so that
 * tests and image builders can check a tree that is not running. check_host also compares with
 * the host's own state: groups that must exist, ids of other users, owners of homes. It asks no
 * NSS, and reads ROOT/etc/passwd, group, subuid and subgid alone. */
struct config_source {
    const char *root;
    bool check_host;
};

/* Reads, merges and checks /usr/lib/pam-sandbox and /etc/pam-sandbox. Returns 0 and a configuration
 * that the caller frees with config_free(), -EINVAL after problem() was called at least once, or
 * -ENOMEM. Every error that can be found in one run is reported in it. For apply, its twin at boot
 * and the generator's first run; everything else reads the snapshot. */
int config_load_etc(const struct config_source *source, config_problem_t problem, void *userdata,
                    struct config **ret);

/* Reads the snapshot, the whole of it; -ENOENT: nothing is in force. Threads may do this, and the
 * next, at the same time. */
int config_load_snapshot(const char *root, config_problem_t problem, void *userdata,
                         struct config **ret);

/* Reads the snapshot's part about one sandbox: n_sandboxes is 1; or, when name is NULL, host and
 * run0 alone. -ENOENT: no such sandbox, or nothing is in force. */
int config_load_snapshot_of(const char *root, const char *name, config_problem_t problem,
                            void *userdata, struct config **ret);

void config_free(struct config *config);

static inline void config_freep(struct config **config)
{
    config_free(*config);
}

/* By name or uid, in a time that does not grow with their number more than a binary search does
 * (by name) or one pass (by uid). NULL: no such sandbox. */
const struct config_sandbox *config_find_sandbox(const struct config *config, const char *name);
const struct config_sandbox *config_find_sandbox_by_uid(const struct config *config, uid_t uid);

/* Whether a group gives its members root, or what is root's; NULL when not, else how. */
const char *config_group_is_root_by(const char *name);

/* Where the sandbox's proxy listens on 127.0.0.1: the port that is set, else one that follows from
 * the uid, as whoever knows the uid must find it without a look at other sandboxes. */
uint16_t config_egress_port(const struct config_sandbox *sandbox);

/* The rules of the sandbox's proxy; NULL: it has no proxy, or they were not loaded. */
const struct config_policy *config_find_policy(const struct config *config,
                                               const struct config_sandbox *sandbox);

/* Why no session may be given a variable of that name by whoever asks for one, in words; NULL when
 * nothing speaks against it. What deny-env denies is not known here. */
const char *config_refused_variable(const char *name);

/* Writes the configuration in the syntax it is read in; reading that gives the same configuration.
 * With origins, each value's file and line stands behind it as a comment. only: NULL for all, or
 * the one sandbox to write. Returns 0 or a negative errno. */
int config_write(const struct config *config, const struct config_sandbox *only, bool origins,
                 FILE *out);
