/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* That a proof can fail: on a kernel without the policy every attempt gets through, every control
 * works, and nothing stays behind. As root of the host's user namespace only; the rest of it is
 * what is made of an outcome. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/proof-step.h"
#include "bpf/proof.h"
#include "conf/cleanup.h"
#include "conf/paths.h"

#define UID 59000

static const char *const programs[] = { "world-write", "set-id", "sockets",
                                        "reads",       "self",   "groups" };

/* For whoever waits for a process time passes as soon as there is something in ready. */
static bool impatient;
static int ready[2];

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    char byte;

    return impatient && read(ready[0], &byte, 1) == 1 ? 0 : __real_poll(fds, n, timeout);
}

/* Lines that were reported. */
struct report {
    size_t n;
    char lines[64][512];
};

static void report(const char *problem, void *userdata)
{
    struct report *all = userdata;

    assert_true(all->n < sizeof all->lines / sizeof all->lines[0]);
    snprintf(all->lines[all->n++], sizeof all->lines[0], "%s", problem);
}

static size_t count(const struct report *all, const char *program, const char *what)
{
    size_t n = 0, length = strlen(program);

    for (size_t i = 0; i < all->n; i++)
        n += strncmp(all->lines[i], program, length) == 0 && strstr(all->lines[i] + length, what);
    return n;
}

static int make_map(void)
{
    union bpf_attr attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = attributes.value_size = sizeof(uint32_t);
    attributes.max_entries = 1;
    return (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
}

/* In a mount namespace in which RUN_DIR is ours, and with the rights that the loader has. */
static bool is_root(void)
{
    static int result = -1;
    _cleanup_fclose_ FILE *map = fopen("/proc/self/uid_map", "re");
    unsigned first, host, n;

    if (result >= 0)
        return result;
    result = 0;
    if (geteuid() != 0 || !map || fscanf(map, "%u %u %u", &first, &host, &n) != 3 ||
        n != UINT32_MAX || unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("test", "/run", "tmpfs", 0, "mode=0755") < 0 || mkdir(RUN_DIR, 0755) < 0)
        return false;

    result = make_map() >= 0;
    return result;
}

static const struct proof_step *find(const char *program, bool refused)
{
    for (size_t i = 0; i < n_proof_steps; i++)
        if (strcmp(proof_steps[i].program, program) == 0 &&
            (proof_steps[i].refusal != 0) == refused)
            return &proof_steps[i];
    return NULL;
}

static void each_program_has_denial_and_controls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        assert_non_null(find(programs[i], true));
        assert_non_null(find(programs[i], false));
    }

    /* A refusal alone proves nothing: each has its like that must work. */
    for (size_t i = 0; i < n_proof_steps; i++) {
        const struct proof_step *denial = &proof_steps[i];
        bool has_control = false;

        for (size_t j = 0; denial->refusal && j < n_proof_steps; j++)
            has_control |=
                proof_steps[j].refusal == 0 &&
                strcmp(proof_steps[j].program, denial->program) == 0 &&
                proof_steps[j].capabilities == denial->capabilities &&
                proof_steps[j].who == (denial->who == PROOF_ROOT ? PROOF_ROOT : PROOF_OTHER);
        if (denial->refusal && !has_control)
            fail_msg("no control: %s: %s", denial->program, denial->what);
    }
}

static void outcomes_are_judged(void **state)
{
    static const struct {
        bool refused;
        struct proof_outcome outcome;
        enum proof_verdict verdict;
        const char *line;
    } cases[] = {
        { true, { PROOF_RESULT, -EPERM }, PROOF_HOLDS, NULL },
        { true,
          { PROOF_RESULT, 0 },
          PROOF_GOT_THROUGH,
          "set-id: got through: uid 59000 could start" },
        { true, { PROOF_RESULT, -ENOENT }, PROOF_SAYS_NOTHING, "No such file" },
        { true, { PROOF_RESULT, -EACCES }, PROOF_SAYS_NOTHING, "Permission denied" },
        { true, { PROOF_KILLED, SIGKILL }, PROOF_INTERRUPTED, "set-id: interrupted: uid 59000" },
        { true, { PROOF_STUCK, 0 }, PROOF_INTERRUPTED, "not done in 20 seconds" },
        { true, { PROOF_UNTRIED, -EPERM }, PROOF_SAYS_NOTHING, "Operation not permitted" },
        { false, { PROOF_RESULT, 0 }, PROOF_HOLDS, NULL },
        { false, { PROOF_RESULT, -EPERM }, PROOF_CONTROL_FAILED, "control failed: uid 65534" },
        { false, { PROOF_KILLED, SIGSEGV }, PROOF_INTERRUPTED, "interrupted: uid 65534" },
        { false, { PROOF_UNTRIED, -EAGAIN }, PROOF_SAYS_NOTHING, "uid 65534" },
    };
    const struct proof_subject subject = { .uid = UID, .gid = UID };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[512] = "";

        assert_int_equal(proof_judge(find("set-id", cases[i].refused), &subject, &cases[i].outcome,
                                     line, sizeof line),
                         cases[i].verdict);
        if (!cases[i].line)
            assert_string_equal(line, "");
        else if (!strstr(line, cases[i].line))
            fail_msg("\"%s\" does not say \"%s\"", line, cases[i].line);
    }
}

static void advice_is_for_the_worst(void **state)
{
    static const struct {
        unsigned verdicts;
        const char *text;
    } cases[] = {
        { PROOF_GOT_THROUGH | PROOF_ALL_GOT_THROUGH | PROOF_CONTROL_FAILED, "lsm=" },
        { PROOF_GOT_THROUGH | PROOF_INTERRUPTED, "another kernel" },
        { PROOF_INTERRUPTED | PROOF_CONTROL_FAILED, "sandboxctl reap" },
        { PROOF_CONTROL_FAILED | PROOF_SAYS_NOTHING, "no_new_privs" },
        { PROOF_SAYS_NOTHING, "before the policy" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_non_null(strstr(proof_advice(cases[i].verdicts), cases[i].text));
}

/* A host may have a sandbox, or somebody who is locked, or both. */
static void steps_are_those_of_the_subject(void **state)
{
    const struct proof_subject sandbox = { .uid = UID }, locked = { .locked_uid = UID },
                               reading = { .locked_uid = UID, .deny_reads = true },
                               both = { .uid = UID, .locked_uid = UID, .deny_reads = true };
    const struct proof_subject nobody = { 0 };

    (void)state;
    assert_int_equal(proof_refusals(&nobody, "set-id"), 0);
    assert_true(proof_refusals(&sandbox, "world-write") > 0);
    assert_int_equal(proof_refusals(&sandbox, "groups"), 0);
    assert_int_equal(proof_refusals(&locked, "world-write"), 0);
    assert_true(proof_refusals(&locked, "groups") > 0);
    assert_int_equal(proof_refusals(&locked, "reads"), 0);
    assert_true(proof_refusals(&reading, "reads") > 0);
    assert_int_equal(proof_refusals(&both, "set-id"),
                     proof_refusals(&sandbox, "set-id") + proof_refusals(&locked, "set-id"));
}

static void without_policy_everything_gets_through(void **state)
{
    static struct report all;
    struct proof_subject subject = {
        .uid = UID, .gid = UID, .locked_uid = UID, .locked_gid = UID, .deny_reads = true
    };
    char before[256], after[256];
    size_t denials = 0;
    struct stat st;

    (void)state;
    if (!is_root())
        skip();
    subject.map = make_map();
    assert_non_null(getcwd(before, sizeof before));

    assert_int_equal(proof_run(&subject, report, &all), -EPERM);
    for (size_t i = 0; i < n_proof_steps; i++)
        denials += proof_steps[i].refusal != 0;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        assert_true(count(&all, programs[i], "got through") >= 1);
    /* One line each and the advice: no control failed. */
    assert_int_equal(count(&all, "", "got through"), denials);
    assert_int_equal(all.n, denials + 1);
    assert_non_null(strstr(all.lines[denials], "Nothing was denied"));

    /* And nothing stays. */
    assert_non_null(getcwd(after, sizeof after));
    assert_string_equal(before, after);
    assert_int_equal(lstat(RUN_DIR "/" PROOF_PROC, &st), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    close(subject.map);
}

/* Runs function in a child, as what it does cannot be undone. */
static void in_child(void (*prepare)(void), struct report *all, int expected)
{
    struct proof_subject subject = { .uid = UID, .gid = UID };
    FILE *result = tmpfile();
    int status;
    pid_t child;

    assert_non_null(result);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int r;

        subject.map = make_map();
        prepare();
        r = proof_run(&subject, report, all);
        if (fwrite(all, sizeof *all, 1, result) != 1 || fflush(result) != 0)
            _exit(255);
        _exit(-r);
    }

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), -expected);
    rewind(result);
    assert_int_equal(fread(all, sizeof *all, 1, result), 1);
    fclose(result);
}

static void set_no_new_privs(void)
{
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void no_new_privs_fails_the_control(void **state)
{
    static struct report all;

    (void)state;
    if (!is_root())
        skip();
    in_child(set_no_new_privs, &all, -EPERM);
    assert_int_equal(count(&all, "set-id", "control failed: uid 65534"), 2);
    assert_int_equal(count(&all, "", "control failed"), 2);
    assert_int_equal(count(&all, "set-id", "says nothing"), 2);
}

static void remove_run_dir(void)
{
    (void)rmdir(RUN_DIR);
}

static void says_what_it_cannot_prepare(void **state)
{
    static struct report all;

    (void)state;
    if (!is_root())
        skip();
    in_child(remove_run_dir, &all, -ENOENT);
    assert_int_equal(mkdir(RUN_DIR, 0755), 0);
    assert_int_equal(all.n, 1);
    assert_int_equal(count(&all, "Nothing could be proven", RUN_DIR ": No such file"), 1);
}

/* Open in every process of an attempt, to the end. */
static int held[2];

static int wait_for_ever(const struct proof_stage *stage, const char *object)
{
    (void)stage;
    (void)object;
    /* What it started has to end with it. */
    if (fork() == 0 && write(ready[1], "", 1) != 1)
        return -errno;
    return pause();
}

static int be_killed(const struct proof_stage *stage, const char *object)
{
    (void)stage;
    (void)object;
    return raise(SIGKILL);
}

static void what_is_started_may_be_killed(void **state)
{
    const struct proof_subject subject = { .uid = UID, .gid = UID };
    const struct proof_stage stage = { .subject = &subject };
    char path[] = "/tmp/test-proof-XXXXXX";
    struct proof_step step = { .who = PROOF_ROOT, .attempt = proof_start_host, .object = path };
    static const char script[] = "#!/bin/sh\nkill -KILL $$\n";
    struct proof_outcome outcome;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script, sizeof script - 1), sizeof script - 1);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    outcome = proof_act(&stage, &step);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(outcome.end, PROOF_KILLED);
    assert_int_equal(outcome.value, SIGKILL);

    /* What is not there has nothing to start. */
    outcome = proof_act(&stage, &step);
    assert_int_equal(outcome.end, PROOF_RESULT);
    assert_int_equal(outcome.value, 0);
}

static void acts_are_bounded(void **state)
{
    const struct proof_subject subject = { .uid = UID, .gid = UID };
    const struct proof_stage stage = { .subject = &subject };
    const struct proof_step stuck = { .who = PROOF_ROOT, .attempt = wait_for_ever };
    const struct proof_step killed = { .who = PROOF_ROOT, .attempt = be_killed };
    struct proof_outcome outcome;
    char byte;

    (void)state;
    assert_int_equal(pipe(held), 0);
    assert_int_equal(pipe(ready), 0);
    impatient = true;
    outcome = proof_act(&stage, &stuck);
    impatient = false;
    assert_int_equal(outcome.end, PROOF_STUCK);
    close(held[1]);
    assert_int_equal(read(held[0], &byte, 1), 0);
    close(held[0]);
    close(ready[0]);
    close(ready[1]);

    outcome = proof_act(&stage, &killed);
    assert_int_equal(outcome.end, PROOF_KILLED);
    assert_int_equal(outcome.value, SIGKILL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_program_has_denial_and_controls),
        cmocka_unit_test(outcomes_are_judged),
        cmocka_unit_test(advice_is_for_the_worst),
        cmocka_unit_test(acts_are_bounded),
        cmocka_unit_test(what_is_started_may_be_killed),
        cmocka_unit_test(steps_are_those_of_the_subject),
        cmocka_unit_test(without_policy_everything_gets_through),
        cmocka_unit_test(no_new_privs_fails_the_control),
        cmocka_unit_test(says_what_it_cannot_prepare),
    };

    proof_helper(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
