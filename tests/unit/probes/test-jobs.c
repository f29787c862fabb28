/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes as processes: nothing that a probe does, or fails to do, may read as a promise that holds.
 */
#include "sandboxctl/probes/jobs.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>

#include <cmocka.h>

static void hold(struct probe_run *run)
{
    probe_found(run, VERDICT_OK, "held");
    probe_found_control(run, VERDICT_OK, "worked");
}

static void slow(struct probe_run *run)
{
    usleep(200000);
    hold(run);
}

static void die(struct probe_run *run)
{
    probe_found(run, VERDICT_OK, "held");
    raise(SIGKILL);
}

static void say_nothing(struct probe_run *run)
{
    (void)run;
}

static void forget_control(struct probe_run *run)
{
    probe_found(run, VERDICT_OK, "held");
}

/* Objects that look like a control, and a control of theirs. */
static void find_objects(struct probe_run *run)
{
    run->object = "a-control";
    hold(run);
    run->object = "b%20c";
    hold(run);
}

static void hang(struct probe_run *run)
{
    kill(getppid(), SIGTERM);
    for (;;)
        pause();
    hold(run);
}

static const struct probe test_probes[] = {
    { .name = "slow", .what = "w", .run = slow },
    { .name = "hold", .what = "w", .run = hold },
    { .name = "die", .what = "w", .run = die },
    { .name = "nothing", .what = "w", .run = say_nothing },
    { .name = "forget", .what = "w", .run = forget_control },
    { .name = "of:", .what = "w", .objects = "X", .run = find_objects },
    { .name = "of-none:", .what = "w", .objects = "X", .run = say_nothing },
    { .name = "later", .what = "w", .company = PROBE_ALONE, .run = hold },
    { .name = "hang", .what = "w", .company = PROBE_LAST, .run = hang },
};

struct record {
    char text[1024];
};

static void record(const struct finding *finding, void *userdata)
{
    struct record *into = userdata;
    size_t length = strlen(into->text);

    snprintf(into->text + length, sizeof into->text - length, "%d %s\n", finding->verdict,
             finding->name);
}

static void no_progress(const char *name, size_t done, size_t all, void *userdata)
{
    (void)name;
    (void)done;
    (void)all;
    (void)userdata;
}

static void fill(struct jobs *jobs)
{
    sigset_t signals;

    *jobs = (struct jobs){};
    jobs->n = sizeof test_probes / sizeof *test_probes;
    jobs->list = calloc(jobs->n, sizeof *jobs->list);
    assert_non_null(jobs->list);
    for (size_t i = 0; i < jobs->n; i++)
        jobs->list[i] = (struct job){ .run.probe = &test_probes[i], .pid = -1, .fd = -EBADF };

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    jobs->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    assert_true(jobs->signal_fd >= 0);
}

static void test_findings(void **state)
{
    struct record recorded = {};
    const struct run_options options = {
        .report = record,
        .progress = no_progress,
        .userdata = &recorded,
    };
    struct jobs jobs;
    int signal_fd;

    (void)state;
    fill(&jobs);
    signal_fd = jobs.signal_fd;
    assert_int_equal(jobs_run(&jobs, PROBE_SHARED, 4, &options), 0);
    /* In the order of the table, whatever is done first; one that died is not believed. */
    assert_string_equal(recorded.text, "0 slow\n0 slow-control\n"
                                       "0 hold\n0 hold-control\n"
                                       "1 die\n1 die-control\n"
                                       "1 nothing\n1 nothing-control\n"
                                       "1 forget\n1 forget-control\n"
                                       "0 of:a-control\n0 of:a-control-control\n"
                                       "0 of:b%20c\n0 of:b%20c-control\n"
                                       "1 of-none:\n1 of-none:-control\n");
    assert_int_equal(jobs_run(&jobs, PROBE_ALONE, 1, &options), 0);
    assert_non_null(strstr(recorded.text, "0 later\n0 later-control\n"));
    jobs_done(&jobs);
    close(signal_fd);
}

static void test_interrupted(void **state)
{
    struct record recorded = {};
    const struct run_options options = {
        .report = record,
        .progress = no_progress,
        .userdata = &recorded,
    };
    struct jobs jobs;
    int signal_fd;
    pid_t pid;

    (void)state;
    fill(&jobs);
    signal_fd = jobs.signal_fd;
    assert_int_equal(jobs_run(&jobs, PROBE_LAST, 1, &options), -EINTR);
    pid = jobs.list[jobs.n - 1].pid;
    assert_int_equal(pid, -1); /* no child is left */
    assert_string_equal(recorded.text, "");
    jobs_done(&jobs);
    close(signal_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_interrupted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
