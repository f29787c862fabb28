/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/proof-step.h"
#include "conf/cleanup.h"

static int try_all(const struct proof_stage *stage, FILE *problems)
{
    size_t denials = 0, got_through = 0;
    unsigned verdicts = PROOF_HOLDS;

    for (const struct proof_step *step = proof_steps; step < proof_steps + n_proof_steps; step++) {
        enum proof_verdict verdict;
        struct proof_outcome outcome;
        char line[512];

        if (!proof_step_is_on(step, stage->subject))
            continue;
        outcome = proof_act(stage, step);
        verdict = proof_judge(step, stage->subject, &outcome, line, sizeof line);
        if (verdict != PROOF_HOLDS)
            fprintf(problems, "%s\n", line);
        verdicts |= verdict;
        if (step->who != PROOF_ROOT && step->refusal != 0) {
            denials++;
            got_through += verdict == PROOF_GOT_THROUGH;
        }
        /* Who stops one process will stop the next: not PROOF_STEP_SEC for each. */
        if (verdict == PROOF_INTERRUPTED)
            break;
    }

    if (got_through == denials)
        verdicts |= PROOF_ALL_GOT_THROUGH;
    if (verdicts == PROOF_HOLDS)
        return 0;
    fprintf(problems, "%s\n", proof_advice(verdicts));
    return -EPERM;
}

static int run_on_stage(const struct proof_subject *subject, FILE *problems)
{
    struct proof_stage stage;
    const char *what;
    int r;

    /* Not left behind, should the loader be killed. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return -errno;

    r = proof_stage_enter(&stage, subject, &what);
    if (r < 0) {
        fprintf(problems, "Nothing could be proven: cannot %s: %s\n", what, strerror(-r));
        return r;
    }

    r = try_all(&stage, problems);
    (void)kill(stage.target, SIGKILL);
    return r;
}

static void pass_on(int from, proof_problem_t report, void *userdata)
{
    _cleanup_fclose_ FILE *problems = fdopen(from, "re");
    _cleanup_free_ char *line = NULL;
    size_t size = 0;
    ssize_t n;

    if (!problems) {
        close(from);
        return;
    }
    while ((n = getline(&line, &size, problems)) > 0) {
        line[n - 1] = '\0';
        report(line, userdata);
    }
}

/* In the child: ends with what was found, as a positive errno. */
static _Noreturn void play(const struct proof_subject *subject, int to)
{
    FILE *problems = fdopen(to, "we");
    int r = problems ? run_on_stage(subject, problems) : -errno;

    if (problems && fclose(problems) != 0 && r == 0)
        r = -errno;
    _exit(-r);
}

size_t proof_refusals(const struct proof_subject *subject, const char *program)
{
    size_t n = 0;

    for (const struct proof_step *step = proof_steps; step < proof_steps + n_proof_steps; step++)
        n += step->refusal != 0 && proof_step_is_on(step, subject) &&
             strcmp(step->program, program) == 0;
    return n;
}

int proof_run(const struct proof_subject *subject, proof_problem_t report, void *userdata)
{
    int channel[2], status;
    pid_t child;

    if (pipe2(channel, O_CLOEXEC) < 0)
        goto cannot;
    child = fork();
    if (child < 0) {
        close(channel[0]);
        close(channel[1]);
        goto cannot;
    }
    if (child == 0)
        play(subject, channel[1]);

    close(channel[1]);
    pass_on(channel[0], report, userdata);
    if (waitpid(child, &status, 0) < 0)
        goto cannot;
    if (!WIFEXITED(status)) {
        report("Nothing is proven: the process that was to do it was killed", userdata);
        return -EPROTO;
    }

    return -WEXITSTATUS(status);

cannot:
    status = -errno;
    report("Nothing could be proven: cannot start a process for it", userdata);
    return status;
}
