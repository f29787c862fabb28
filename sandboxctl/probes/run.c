/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/run.h"

#include "sandboxctl/probes/canary.h"
#include "sandboxctl/probes/jobs.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-login.h>

/* Sessions cost processor time in systemd, logind and a user manager, all of them single-threaded:
 * more at once gains nothing. */
#define PARALLEL 8

static int add_job(struct jobs *jobs, const struct probe_run *run)
{
    struct job *list = reallocarray(jobs->list, jobs->n + 1, sizeof *list);

    if (!list)
        return -ENOMEM;
    jobs->list = list;
    jobs->list[jobs->n++] = (struct job){ .run = *run, .pid = -1, .fd = -EBADF };
    return 0;
}

/* One job a probe that is wanted, of the host or of a sandbox. */
static int plan(struct jobs *jobs, const struct probe_run *base, const struct run_options *options)
{
    for (const struct probe *probe = probes; probe->name; probe++) {
        struct probe_run run = *base;
        char *const *path = base->sandbox ? base->sandbox->private_paths : NULL;
        int r;

        run.probe = probe;
        if (probe->of_host != !base->sandbox)
            continue;
        do {
            run.path = probe->of_paths ? *path : NULL;
            if (probe->of_paths && !run.path)
                break;
            if (!probe_is_wanted(probe, run.path, options->patterns, options->n_patterns))
                continue;
            r = add_job(jobs, &run);
            if (r < 0)
                return r;
        } while (probe->of_paths && *++path);
    }
    return 0;
}

bool run_has_any(const struct config_sandbox *sandbox, const struct run_options *options)
{
    struct jobs jobs = { .signal_fd = -EBADF, .keep_fd = -EBADF };
    struct probe_run run = { .sandbox = sandbox };
    bool any = plan(&jobs, &run, options) < 0 || jobs.n > 0;

    jobs_done(&jobs);
    return any;
}

/* How many sessions the user has. Those of its manager do not count, nor those that are ending. */
static uint64_t count_sessions(uid_t uid)
{
    _cleanup_strv_ char **sessions = NULL;
    uint64_t n = 0;

    if (sd_uid_get_sessions(uid, 0, &sessions) <= 0)
        return 0;
    for (char **s = sessions; *s; s++) {
        _cleanup_free_ char *class = NULL, *state = NULL;

        if (sd_session_get_class(*s, &class) < 0 || sd_session_get_state(*s, &state) < 0)
            continue;
        if (strncmp(class, "manager", strlen("manager")) != 0 && strcmp(state, "closing") != 0)
            n++;
    }
    return n;
}

/* As many as are of use, and leave the sandbox a session of the number that it may have. */
static size_t choose_parallel(const struct config_sandbox *sandbox, uint64_t open)
{
    uint64_t taken = open + 2; /* with the one that is held open */

    if (sandbox->limits.sessions <= taken + 1)
        return 1;
    return sandbox->limits.sessions - taken < PARALLEL ? sandbox->limits.sessions - taken
                                                       : PARALLEL;
}

static bool has_company(const struct jobs *jobs, enum probe_company company)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->list[i].run.probe->company == company)
            return true;
    return false;
}

static int open_signal_fd(void)
{
    sigset_t signals;
    int fd;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    fd = signalfd(-1, &signals, SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int run_host(const struct config *config, const struct run_options *options, char **reason)
{
    _cleanup_(jobs_done) struct jobs jobs = { .signal_fd = -EBADF, .keep_fd = -EBADF };
    _cleanup_(canary_remove) struct canary canary = {};
    struct probe_run base = { .config = config, .token = canary.token };
    int r;

    r = canary_token(&canary);
    if (r < 0)
        return r;
    r = plan(&jobs, &base, options);
    if (r < 0 || jobs.n == 0)
        return r;
    jobs.signal_fd = open_signal_fd();
    if (jobs.signal_fd < 0)
        return jobs.signal_fd;
    r = jobs_run(&jobs, PROBE_SHARED, PARALLEL, options);
    close(jobs.signal_fd);
    (void)reason;
    return r;
}

/* Holds one session open, so that the user manager stays and nothing is reaped between probes. */
static int hold_session(struct probe_run *base, struct call *call, struct visit *visit,
                        char **reason)
{
    const struct place place = PLACE_SANDBOX(base);
    char line[64];

    visit_begin(base, &place, call, 1, visit);
    if (visit_line(visit, line, sizeof line))
        return 0;
    visit_end(visit);
    if (asprintf(reason, "no session of %s opens: %s", base->sandbox->name, call->text) < 0)
        *reason = NULL;
    return -EPROTO;
}

int run_sandbox(const struct config *config, const struct config_sandbox *sandbox,
                const struct run_options *options, char **reason)
{
    _cleanup_(jobs_done) struct jobs jobs = { .signal_fd = -EBADF, .keep_fd = -EBADF };
    _cleanup_(canary_remove) struct canary canary = {};
    _cleanup_close_ int signal_fd = -EBADF;
    struct call call[] = { CALL("hold") };
    const uint64_t open = count_sessions(sandbox->uid);
    struct visit keep;
    int r;

    r = canary_make(&canary, sandbox);
    if (r < 0) {
        if (asprintf(reason, "%s: %s", canary.run_dir, strerror(-r)) < 0)
            *reason = NULL;
        return r;
    }
    struct probe_run base = {
        .config = config,
        .sandbox = sandbox,
        .token = canary.token,
        .canary_run = canary.run_open,
        .canary_state = canary.state_open,
        .in_use = open > 0,
    };
    r = plan(&jobs, &base, options);
    if (r < 0 || jobs.n == 0)
        return r;
    jobs.signal_fd = signal_fd = open_signal_fd();
    if (signal_fd < 0)
        return signal_fd;

    if (has_company(&jobs, PROBE_SHARED) || has_company(&jobs, PROBE_ALONE)) {
        r = hold_session(&base, call, &keep, reason);
        if (r < 0)
            return r;
        jobs.keep_fd = keep.in;
        r = jobs_run(&jobs, PROBE_SHARED, choose_parallel(sandbox, open), options);
        if (r >= 0)
            r = jobs_run(&jobs, PROBE_ALONE, 1, options);
        jobs.keep_fd = -EBADF;
        visit_end(&keep);
    }
    if (r >= 0)
        r = jobs_run(&jobs, PROBE_LAST, 1, options);
    return r;
}
