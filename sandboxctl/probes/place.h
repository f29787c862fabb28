/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where attempts are run: in a run0 session of a user, or right here as some uid. It is the program
 * /usr/lib/pam-sandbox/attempt, over pipes, for a bounded time; or, for a sandbox's uid outside its
 * sessions, a copy of this very process. */

#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/probe.h"

#include <sys/types.h>
#include <time.h>

#define NOBODY_ID 65534

struct place {
    const char *user; /* a run0 session of this user; NULL: here, with the ids below */
    bool shared;      /* any session of the sandbox will do, one that is open already */
    uid_t uid;
    gid_t gid;
    /* Here: runs no program. A sandbox could trace one that has its uid, and would so leave its
     * view; a process that changed its ids it cannot, until execve(2), see PR_SET_DUMPABLE(2const).
     * What is attempted must not run a program either. */
    bool resident;
    bool privileged; /* resident: with root's capabilities, so that nobody but a LSM refuses */
    /* Session: what --setenv= is given, "NAME=VALUE" or "NAME". NULL: nothing. */
    const char *const *setenv;
    /* Session: a command and arguments that run the program elsewhere. NULL: it runs right there.
     */
    const char *const *within;
    /* What the process (here), or run0 itself (session), has in its environment beside the
     * standard ones. NULL: nothing. */
    const char *const *environment;
    /* Here: done in the new process while it still is root's. Returns 0 or a negative errno. */
    int (*prepare)(void *userdata);
    void *userdata;
};

/* One attempt of a place, and how it went. */
struct call {
    const char *const *argv; /* NULL-terminated, without the program */
    enum attempt_result result;
    char text[1024]; /* for people */
};

#define CALL(...) { .argv = (const char *const[]){ __VA_ARGS__, NULL }, .result = ATTEMPT_UNTRIED }

/* Attempts that are running. */
struct visit {
    struct call *calls;
    size_t n;
    pid_t pid;
    int in;
    int out;
    int err;           /* a file */
    char unit[96];     /* of a session */
    char buffer[1024]; /* of out, what was read and is no whole line yet */
    size_t filled;
    size_t answered;          /* calls whose result was read */
    bool broken;              /* an attempt of a batch was not answered */
    struct timespec deadline; /* CLOCK_MONOTONIC */
};

/* Runs the calls of one place, one after the other in one process (of one session), and fills in
 * how they went. Never fails: what could not be run is ATTEMPT_UNTRIED and the text says why. */
void place_run(struct probe_run *run, const struct place *place, struct call *calls, size_t n);

/* The same attempt on each of the words, which have to stay. The caller frees the calls, in order
 * of the words; ends the process when there is no memory for them. */
struct call *place_run_each(struct probe_run *run, const struct place *place, const char *attempt,
                            char *const *words, size_t n);

/* The same in steps, for attempts that wait: visit_begin(), then visit_line() until a line that the
 * attempt tells is there (false: it ended before, or took too long), then visit_end(), which closes
 * its standard input and waits. visit_begin() never fails either; the other two then know. */
void visit_begin(struct probe_run *run, const struct place *place, struct call *calls, size_t n,
                 struct visit *visit);
bool visit_line(struct visit *visit, char *line, size_t size);
void visit_end(struct visit *visit);

/* Asks of an open visit, that of "batch", one more attempt. */
void visit_ask(struct visit *visit, struct call *call);

/* Ends a visit that does not answer. */
void visit_abandon(struct visit *visit);

/* Waits for a visit that ends by itself, without closing its standard input. */
void visit_wait(struct visit *visit);

/* Turns the result of a call into a finding. */
void place_judge(struct probe_run *run, const struct call *call);
void place_judge_control(struct probe_run *run, const struct call *call);

/* A session of the run's sandbox, with nothing special or of its own; its uid, another user, and
 * root, here. */
#define PLACE_SANDBOX(run) { .user = (run)->sandbox->name, .shared = true }
#define PLACE_SESSION(run) { .user = (run)->sandbox->name }
#define PLACE_OUTSIDE(run)                                                                         \
    { .uid = (run)->sandbox->uid, .gid = (run)->sandbox->uid, .resident = true }
#define PLACE_NOBODY { .uid = NOBODY_ID, .gid = NOBODY_ID }
#define PLACE_ROOT { .uid = 0 }
