/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/jobs.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define MAX_PARALLEL 32

/* One finding a line: verdict, whether it is the control's, name, text. Neither name nor text has a
 * control character. */
static void write_findings(const struct findings *findings, int fd)
{
    _cleanup_fclose_ FILE *file = fdopen(fd, "w");

    for (size_t i = 0; file && i < findings->n; i++)
        fprintf(file, "%d%d\t%s\t%s\n", findings->list[i].verdict, findings->list[i].control,
                findings->list[i].name, findings->list[i].text);
}

static void read_findings(struct job *job)
{
    struct probe_run *run = &job->run;
    char *save = NULL;

    for (char *line = job->text ? strtok_r(job->text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        char *name = strchr(line, '\t'), *text = name ? strchr(name + 1, '\t') : NULL;
        const char *const object = run->object;
        bool control;

        if (!text || name != line + 2)
            continue;
        *text++ = '\0';
        control = line[1] == '1';
        if (run->probe->objects) {
            if (control)
                name[strlen(name) - strlen("-control")] = '\0';
            run->object = name + 1 + strlen(run->probe->name);
        }
        if (control)
            probe_found_control(run, (enum verdict)(line[0] - '0'), "%s", text);
        else
            probe_found(run, (enum verdict)(line[0] - '0'), "%s", text);
        run->object = object;
    }

    /* Silence must not read as a promise that holds. */
    if (run->findings.n == 0 || (run->probe->what && run->findings.n < 2)) {
        findings_done(&run->findings);
        if (run->probe->what)
            probe_found(run, VERDICT_FAIL, "could not be tried: the probe ended without a result");
        probe_found_control(run, VERDICT_FAIL,
                            "could not be tried: the probe ended without a result");
    }
}

static struct slot *take_slot(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n_slots; i++)
        if (!jobs->slots[i].busy && !jobs->slots[i].visit.broken) {
            jobs->slots[i].busy = true;
            return &jobs->slots[i];
        }
    return NULL;
}

/* A job that died may have left half an answer in its session, which the next would take for its
 * own. */
static void give_back_slot(struct job *job, int status)
{
    if (!job->slot)
        return;
    job->slot->busy = false;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        job->slot->visit.broken = true;
    job->slot = NULL;
}

static void start_job(struct jobs *jobs, struct job *job)
{
    int channel[2];

    if (pipe2(channel, O_CLOEXEC) < 0) {
        job->done = true;
        read_findings(job);
        return;
    }
    job->slot = take_slot(jobs);
    job->run.session = job->slot ? &job->slot->visit : NULL;
    job->pid = fork();
    if (job->pid == 0) {
        close(channel[0]);
        job->run.probe->run(&job->run);
        write_findings(&job->run.findings, channel[1]);
        _exit(job->slot && job->slot->visit.broken);
    }
    close(channel[1]);
    job->fd = channel[0];
    if (job->pid < 0) {
        close(steal_fd(&job->fd));
        give_back_slot(job, 0);
        job->done = true;
        read_findings(job);
    }
}

/* Takes what the child wrote; at its end the job is done. */
static void read_job(struct job *job)
{
    char buffer[4096], *larger;
    ssize_t n = read(job->fd, buffer, sizeof buffer);
    int status = 0;

    if (n > 0) {
        larger = realloc(job->text, job->size + n + 1);
        if (larger) {
            memcpy(larger + job->size, buffer, n);
            job->size += n;
            larger[job->size] = '\0';
            job->text = larger;
            return;
        }
    }
    if (n < 0 && errno == EINTR)
        return;
    close(steal_fd(&job->fd));
    waitpid(job->pid, &status, 0);
    give_back_slot(job, status);
    job->pid = -1;
    job->done = true;
    read_findings(job);
}

static void stop_all(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->list[i];
        int status = 0;

        if (job->pid <= 0)
            continue;
        kill(job->pid, SIGKILL);
        waitpid(job->pid, &status, 0);
        give_back_slot(job, status);
        job->pid = -1;
        close(steal_fd(&job->fd));
    }
}

/* In the order of the table: what is done waits for what is before it. */
static void report_ready(struct jobs *jobs, const struct run_options *options)
{
    for (; jobs->n_reported < jobs->n && jobs->list[jobs->n_reported].done; jobs->n_reported++) {
        const struct findings *findings = &jobs->list[jobs->n_reported].run.findings;

        for (size_t i = 0; i < findings->n; i++)
            options->report(&findings->list[i], options->userdata);
    }
}

static size_t count_done(const struct jobs *jobs)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        n += jobs->list[i].done;
    return n;
}

int jobs_run(struct jobs *jobs, enum probe_company company, size_t parallel,
             const struct run_options *options)
{
    size_t next = 0;

    if (parallel > MAX_PARALLEL)
        parallel = MAX_PARALLEL;
    for (;;) {
        struct pollfd fds[MAX_PARALLEL + 1] = { { .fd = jobs->signal_fd, .events = POLLIN } };
        struct job *polled[MAX_PARALLEL + 1];
        size_t n = 1;

        for (size_t i = 0; i < next; i++)
            if (jobs->list[i].fd >= 0) {
                polled[n] = &jobs->list[i];
                fds[n++] = (struct pollfd){ .fd = jobs->list[i].fd, .events = POLLIN };
            }
        for (; next < jobs->n && n <= parallel; next++) {
            struct job *job = &jobs->list[next];

            if (job->run.probe->company != company)
                continue;
            start_job(jobs, job);
            if (job->fd < 0)
                continue;
            polled[n] = job;
            fds[n++] = (struct pollfd){ .fd = job->fd, .events = POLLIN };
        }
        report_ready(jobs, options);
        if (n == 1)
            return 0;

        options->progress(polled[1]->run.probe->name, count_done(jobs), jobs->n, options->userdata);
        if (poll(fds, n, -1) < 0 && errno != EINTR)
            fds[0].revents = POLLERR;
        if (fds[0].revents) {
            stop_all(jobs);
            return -EINTR;
        }
        for (size_t i = 1; i < n; i++)
            if (fds[i].revents)
                read_job(polled[i]);
    }
}

void jobs_done(struct jobs *jobs)
{
    stop_all(jobs);
    for (size_t i = 0; i < jobs->n; i++) {
        findings_done(&jobs->list[i].run.findings);
        free(jobs->list[i].text);
    }
    free(jobs->list);
    *jobs = (struct jobs){ .signal_fd = -EBADF, .n_slots = 0 };
}
