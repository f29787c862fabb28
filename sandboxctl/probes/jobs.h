/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Probes as processes: each runs in a child, which hands its findings back over a pipe, so that
 * one that changes its namespaces or hangs does not matter to the others. */

#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/run.h"

/* A session that jobs use, one job at a time. */
struct slot {
    struct visit visit;
    bool busy;
};

struct job {
    struct probe_run run;
    struct slot *slot;
    bool done;
    pid_t pid;
    int fd;     /* what the child writes */
    char *text; /* what was read of it */
    size_t size;
};

struct jobs {
    struct job *list;
    size_t n;
    size_t n_reported;
    struct slot *slots;
    size_t n_slots;
    int signal_fd; /* readable when the check is to end */
};

/* Runs the jobs of this company, at most parallel at once and each with a slot of its own where
 * there are any, and reports what is complete. Returns 0 or -EINTR; then no child is left. */
int jobs_run(struct jobs *jobs, enum probe_company company, size_t parallel,
             const struct run_options *options);

void jobs_done(struct jobs *jobs);
