/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs probes: those that can share a sandbox beside each other, the others one at a time, and
 * leaves nothing of what they made, also when it is interrupted. */

#include "sandboxctl/probes/probe.h"

struct run_options {
    char *const *patterns; /* fnmatch(3) patterns of names */
    size_t n_patterns;     /* 0: all */
    /* In the order of the table, as soon as those before are known. */
    void (*report)(const struct finding *finding, void *userdata);
    /* What is running; done of all. */
    void (*progress)(const char *name, size_t done, size_t all, void *userdata);
    /* A stage begins, of this name. */
    void (*stage)(const char *name, void *userdata);
    void *userdata;
};

/* The probes that are of no sandbox in particular. Both return 0, or a negative errno when the
 * check could not be run, and then *reason, which the caller frees, may say why for people. -EINTR:
 * SIGINT, SIGTERM or SIGHUP came; the caller has them blocked. */
int run_host(const struct config *config, const struct run_options *options);
int run_sandbox(const struct config *config, const struct config_sandbox *sandbox,
                const struct run_options *options, char **reason);

/* Whether any probe, of the host or of this sandbox, is wanted. */
bool run_has_any(const struct config_sandbox *sandbox, const struct run_options *options);
