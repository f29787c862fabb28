/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/run.h"

#include "sandboxctl/probes/canary.h"
#include "sandboxctl/probes/container.h"
#include "sandboxctl/probes/jobs.h"
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/setting.h"

#include "conf/cleanup.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-login.h>

/* Sessions cost processor time in systemd, logind and a user manager, all of them single-threaded:
 * more at once gain nothing. */
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
        const bool finds_objects = probe->objects && !probe->of_paths;
        int r;

        run.probe = probe;
        if (probe->of_host != !base->sandbox)
            continue;
        do {
            run.object = probe->of_paths ? *path : NULL;
            if (probe->of_paths && !run.object)
                break;
            if (finds_objects
                    ? !probe_may_be_wanted(probe, options->patterns, options->n_patterns)
                    : !probe_is_wanted(probe, run.object, options->patterns, options->n_patterns))
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
    struct jobs jobs = { .signal_fd = -EBADF };
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

/* How many probes to run at once. Each may have a session of its own beside the one it shares, and
 * the sandbox keeps one of the number that it may have. */
static size_t choose_parallel(const struct config_sandbox *sandbox, uint64_t open, size_t n_jobs)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t parallel = processors > 0 && processors * 2 < PARALLEL ? processors * 2 : PARALLEL;

    while (parallel > 1 &&
           (parallel > n_jobs || open + 2 * parallel + 1 > sandbox->limits.sessions))
        parallel--;
    return parallel;
}

static size_t count_company(const struct jobs *jobs, enum probe_company company)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        n += jobs->list[i].run.probe->company == company;
    return n;
}

/* The most that any of them needs. */
static enum probe_needs find_needs(const struct jobs *jobs)
{
    enum probe_needs needs = PROBE_NEEDS_NOTHING;

    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->list[i].run.probe->needs > needs)
            needs = jobs->list[i].run.probe->needs;
    return needs;
}

static int open_signal_fd(void)
{
    sigset_t signals;
    int fd;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    fd = signalfd(-1, &signals, SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int run_host(const struct config *config, const struct run_options *options)
{
    _cleanup_(jobs_done) struct jobs jobs = { .signal_fd = -EBADF };
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
    options->stage("Probes of the host", options->userdata);
    r = jobs_run(&jobs, PROBE_SHARED, PARALLEL, options);
    close(jobs.signal_fd);
    return r;
}

/* Opens the sessions that the probes share. They also keep the user manager up, and the reaper
 * away. */
static int open_slots(struct jobs *jobs, struct probe_run *base, struct call *call, size_t n,
                      char **reason)
{
    const struct place place = PLACE_SESSION(base);
    size_t ready = 0;

    jobs->slots = calloc(n, sizeof *jobs->slots);
    if (!jobs->slots)
        return -ENOMEM;
    for (; jobs->n_slots < n; jobs->n_slots++)
        visit_begin(base, &place, &call[jobs->n_slots], 1, &jobs->slots[jobs->n_slots].visit);
    for (size_t i = 0; i < n; i++) {
        char line[64];

        if (visit_line(&jobs->slots[i].visit, line, sizeof line))
            ready++;
        else
            jobs->slots[i].visit.broken = true;
    }
    if (ready == n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (jobs->slots[i].visit.broken) {
            visit_end(&jobs->slots[i].visit);
            if (!*reason && asprintf(reason, "no session of %s opens: %s", base->sandbox->name,
                                     call[i].text) < 0)
                *reason = NULL;
        }
    return -EPROTO;
}

static void close_slots(struct jobs *jobs)
{
    /* All of them first, as each takes its time to end. */
    for (size_t i = 0; i < jobs->n_slots; i++)
        if (jobs->slots[i].visit.in >= 0)
            close(steal_fd(&jobs->slots[i].visit.in));
    for (size_t i = 0; i < jobs->n_slots; i++)
        if (jobs->slots[i].visit.broken)
            visit_abandon(&jobs->slots[i].visit);
        else
            visit_end(&jobs->slots[i].visit);
    free(jobs->slots);
    jobs->slots = NULL;
    jobs->n_slots = 0;
}

int run_sandbox(const struct config *config, const struct config_sandbox *sandbox,
                const struct run_options *options, char **reason)
{
    _cleanup_(jobs_done) struct jobs jobs = { .signal_fd = -EBADF };
    _cleanup_(canary_remove) struct canary canary = {};
    _cleanup_(setting_end) struct setting setting = {};
    _cleanup_close_ int signal_fd = -EBADF;
    static const char *const batch[] = { "batch", NULL };
    struct call calls[PARALLEL];
    struct containers containers = {};
    const uint64_t open = count_sessions(sandbox->uid);
    size_t parallel;
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
        .patterns = options->patterns,
        .n_patterns = options->n_patterns,
        .token = canary.token,
        .run_dir = canary.run_dir,
        .state_dir = canary.state_dir,
        .session_tmp = canary.session_tmp,
        .canary_run = canary.run_open,
        .canary_state = canary.state_open,
        .outside = &setting.outside,
        .twin = &setting.twin,
        .containers = &containers,
        .feed_host = setting.feed_host,
        .in_use = open > 0,
    };
    r = plan(&jobs, &base, options);
    if (r < 0 || jobs.n == 0)
        return r;
    options->stage("What probes are tried on", options->userdata);
    setting_begin(&setting, config, sandbox, find_needs(&jobs), canary.token, canary.run_dir);
    jobs.signal_fd = signal_fd = open_signal_fd();
    if (signal_fd < 0)
        return signal_fd;

    if (count_company(&jobs, PROBE_LAST) < jobs.n) {
        parallel = choose_parallel(sandbox, open, jobs.n);
        for (size_t i = 0; i < parallel; i++)
            calls[i] = (struct call){ .argv = batch };
        options->stage("Opening sessions", options->userdata);
        r = open_slots(&jobs, &base, calls, parallel, reason);
        options->stage("Probes beside each other", options->userdata);
        if (r >= 0)
            r = jobs_run(&jobs, PROBE_SHARED, parallel, options);
        if (r >= 0 && count_company(&jobs, PROBE_CONTAINER) > 0) {
            options->stage("Probes from containers", options->userdata);
            r = containers_try(&containers, &base, signal_fd);
            if (r >= 0)
                r = jobs_run(&jobs, PROBE_CONTAINER, 1, options);
        }
        options->stage("Probes one at a time", options->userdata);
        if (r >= 0)
            r = jobs_run(&jobs, PROBE_ALONE, 1, options);
        options->stage("Closing sessions", options->userdata);
        close_slots(&jobs);
    }
    options->stage("Probes without a session", options->userdata);
    if (r >= 0)
        r = jobs_run(&jobs, PROBE_LAST, 1, options);
    return r;
}
