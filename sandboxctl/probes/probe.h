/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What sandboxctl check promises: every line of it is one struct probe. A probe tries, as the
 * sandbox user in a real session, what must not work; its control tries the same where it must.
 * sandboxctl-check(8) prints the same table, and a test holds the two against each other. */

#include "conf/config.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
    VERDICT_OK,
    VERDICT_FAIL,
    VERDICT_SKIP,
};

/* One line of the result. */
struct finding {
    char *name;    /* "sudo", "sudo-control", "private-path:/srv" */
    char *sandbox; /* NULL: the host's, of no sandbox */
    enum verdict verdict;
    char *text;
    bool control; /* of the control, by that name */
};

struct findings {
    struct finding *list;
    size_t n;
};

void findings_done(struct findings *findings);

/* When a probe can run beside others. */
enum probe_company {
    PROBE_SHARED,    /* beside other probes of the sandbox */
    PROBE_CONTAINER, /* once it was tried in containers, container.h */
    PROBE_ALONE,     /* uses up what the sandbox's sessions share: one at a time */
    PROBE_LAST,      /* when no session of the sandbox is open */
};

/* What a probe is tried on beside sessions, setting.h. */
enum probe_needs {
    PROBE_NEEDS_NOTHING,
    PROBE_NEEDS_OUTSIDE, /* somewhere outside of this host */
    PROBE_NEEDS_TWIN,    /* and a second proxy */
};

struct probe_run;
struct visit;
struct outside;
struct twin;
struct containers;

struct probe {
    const char *name;
    const char *what;    /* what the sandbox user tries; NULL: there is only a control */
    const char *control; /* what must work */
    const char *stopped_by;
    enum probe_company company;
    enum probe_needs needs;
    bool of_host; /* once, for no sandbox in particular */
    /* A probe over several objects, with a finding and a control each: what they are, "PATH"; the
     * name ends with ':'. The probe finds its objects itself, but for those of of_paths, which are
     * the sandbox's private-paths. */
    const char *objects;
    bool of_paths;
    void (*run)(struct probe_run *run);
};

/* Ends with name NULL. */
extern const struct probe probes[];

/* What a probe's function knows, and where it leaves its findings. */
struct probe_run {
    const struct probe *probe;
    const struct config *config;
    const struct config_sandbox *sandbox;
    /* The object that findings are of, as word_encode() writes it; NULL: none in particular. Set by
     * probes that find their objects themselves. */
    const char *object;
    char *const *patterns; /* of --only, for probe_wants_object() */
    size_t n_patterns;
    const char *token; /* in the name of everything that this check makes */
    /* Directories of root's that others may pass, on two file systems of the host; one in each that
     * the sandbox's group may write; and what is /tmp in its sessions. */
    const char *run_dir;
    const char *state_dir;
    const char *canary_run;
    const char *canary_state;
    const char *session_tmp;
    const struct outside *outside; /* for probes that need them */
    const struct twin *twin;
    const struct containers *containers;
    const char *feed_host;
    struct visit *session; /* an open one of the sandbox, for this probe alone; NULL: none */
    bool in_use;           /* there are sessions of this sandbox that are not the check's */
    struct findings findings;
};

/* Whether the probe's line, or its control's, is wanted: patterns are fnmatch(3) ones that any of
 * both names may match, n 0 means all. */
bool probe_is_wanted(const struct probe *probe, const char *object, char *const *patterns,
                     size_t n);

/* Of a probe that finds its objects itself: whether this one is wanted. The name without an object
 * stands for all. */
bool probe_wants_object(const struct probe_run *run, const char *object);

/* Before those are known: whether any name that the patterns match could be one of them. */
bool probe_may_be_wanted(const struct probe *probe, char *const *patterns, size_t n);

/* The finding of the probe itself, or of its control. */
__attribute__((format(printf, 3, 4))) void probe_found(struct probe_run *run, enum verdict verdict,
                                                       const char *format, ...);
__attribute__((format(printf, 3, 4))) void
probe_found_control(struct probe_run *run, enum verdict verdict, const char *format, ...);
/* Both are skipped for the same reason. */
__attribute__((format(printf, 2, 3))) void probe_skip(struct probe_run *run, const char *format,
                                                      ...);

/* The probes, one file a family. */
void probe_entry_su(struct probe_run *run);
void probe_entry_login(struct probe_run *run);
void probe_entry_ssh(struct probe_run *run);
void probe_entry_cron(struct probe_run *run);
void probe_entry_not_ready(struct probe_run *run);
void probe_entry_door(struct probe_run *run);
void probe_entry_door_own(struct probe_run *run);
void probe_run0_env(struct probe_run *run);
void probe_env_fixed(struct probe_run *run);
void probe_env_job_variables(struct probe_run *run);
void probe_environ_other(struct probe_run *run);
void probe_proc_other(struct probe_run *run);
void probe_sudo(struct probe_run *run);
void probe_polkit(struct probe_run *run);
void probe_pkexec(struct probe_run *run);
void probe_run0(struct probe_run *run);
void probe_groups(struct probe_run *run);
void probe_linger(struct probe_run *run);
void probe_cron(struct probe_run *run);
void probe_at(struct probe_run *run);
void probe_reap(struct probe_run *run);
void probe_limits_tasks(struct probe_run *run);
void probe_limits_memory(struct probe_run *run);
void probe_limits_runtime(struct probe_run *run);
void probe_limits_files(struct probe_run *run);
void probe_view_root(struct probe_run *run);
void probe_view_manager(struct probe_run *run);
void probe_view_socket(struct probe_run *run);
void probe_view_pam(struct probe_run *run);
void probe_view_nested(struct probe_run *run);
void probe_view_late_mount(struct probe_run *run);
void probe_tmp_private(struct probe_run *run);
void probe_pam_handler(struct probe_run *run);
void probe_private_path(struct probe_run *run);
void probe_kvm(struct probe_run *run);
void probe_world_write(struct probe_run *run);
void probe_world_write_later(struct probe_run *run);
void probe_set_id(struct probe_run *run);
void probe_lock_sudo(struct probe_run *run);
void probe_lock_polkit(struct probe_run *run);
void probe_lock_su(struct probe_run *run);
void probe_lock_group(struct probe_run *run);
void probe_lock_reads(struct probe_run *run);
void probe_socket(struct probe_run *run);
void probe_abstract(struct probe_run *run);
void probe_family(struct probe_run *run);
void probe_dbus(struct probe_run *run);
void probe_resolve(struct probe_run *run);
void probe_peer_sandbox(struct probe_run *run);
void probe_lsm_tamper(struct probe_run *run);
void probe_tcp(struct probe_run *run);
void probe_direct(struct probe_run *run);
void probe_udp(struct probe_run *run);
void probe_icmp(struct probe_run *run);
void probe_ipv6(struct probe_run *run);
void probe_dns(struct probe_run *run);
void probe_metadata4(struct probe_run *run);
void probe_metadata6(struct probe_run *run);
void probe_wireserver(struct probe_run *run);
void probe_egress_read(struct probe_run *run);
void probe_egress_git(struct probe_run *run);
void probe_egress_npm(struct probe_run *run);
void probe_egress_pip(struct probe_run *run);
void probe_egress_cargo(struct probe_run *run);
void probe_egress_wget(struct probe_run *run);
void probe_egress_post(struct probe_run *run);
void probe_egress_push(struct probe_run *run);
void probe_egress_body_on_get(struct probe_run *run);
void probe_egress_websocket(struct probe_run *run);
void probe_egress_allow(struct probe_run *run);
void probe_egress_feed(struct probe_run *run);
void probe_egress_fronting(struct probe_run *run);
void probe_egress_literal(struct probe_run *run);
void probe_egress_rebind(struct probe_run *run);
void probe_egress_private(struct probe_run *run);
void probe_egress_metadata(struct probe_run *run);
void probe_egress_raw(struct probe_run *run);
void probe_container_build(struct probe_run *run);
void probe_container(struct probe_run *run);
