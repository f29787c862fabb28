/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a proof is made of. Private to bpf/proof*.c.
 *
 * A step is one attempt by one user: refused by the policy, or a control, which must work. An
 * attempt runs in a process of its own that already is that user, and returns 0 or what the kernel
 * said, as a negative errno. */

#include <stddef.h>
#include <stdint.h>

#include "bpf/lock-sockets.h"
#include "bpf/proof.h"

/* nobody, whose id no sandbox can have: uids of sandboxes end at 59999, subordinate ids begin at
 * 65536 (conf/options.c). */
#define PROOF_OTHER_ID 65534

/* Far more than an emulated processor needs. */
#define PROOF_STEP_SEC 20

/* What the stage holds, by its name in the directory that everything runs in; see proof-stage.c.
 * Abstract names begin with '@' here. */
#define PROOF_ROOT_FILE "file"
#define PROOF_ROOT_DIRECTORY "directory"
#define PROOF_OWN_DIRECTORY "own"
#define PROOF_GROUP_FILE "group"
#define PROOF_PLAIN_PROGRAM "plain"
#define PROOF_SET_ID_PROGRAM "set-id"
#define PROOF_CAPABLE_PROGRAM "capable"
#define PROOF_STREAM "stream"
#define PROOF_DATAGRAM "datagram"
#define PROOF_PROC "proc"
/* By its whole name, which is one of those that are closed to who is locked. */
#define PROOF_LOCK_SOCKET LOCK_SOCKET_CANARY

/* What PROOF_CAPABLE_PROGRAM gives; one that the loader has to have anyway, as nobody gets any that
 * is not in its bounding set. */
#define PROOF_FILE_CAPABILITY CAP_KILL

struct proof_stage {
    const struct proof_subject *subject;
    pid_t target; /* a process of root's that does nothing */
    uint32_t map; /* id of subject->map */
};

enum proof_who {
    PROOF_SANDBOX, /* the sandbox's user */
    PROOF_LOCKED,  /* the user who is locked */
    PROOF_OTHER,   /* nobody */
    PROOF_ROOT,    /* the loader itself */
};

struct proof_step {
    const char *program;
    const char *what; /* completes "uid 1000 could …" */
    enum proof_who who;
    uint64_t capabilities; /* that the user keeps, 1 << CAP_… */
    int refusal;           /* the policy's errno; 0: a control */
    int (*attempt)(const struct proof_stage *stage, const char *object);
    const char *object;
    bool of_lock; /* only where somebody is locked */
};

extern const struct proof_step proof_steps[];
extern const size_t n_proof_steps;

/* Whether the subject has who makes the step: without a sandbox its controls are left out as well,
 * but for those of the locked user's steps, which stand behind them. */
bool proof_step_is_on(const struct proof_step *step, const struct proof_subject *subject);

/* Sets the stage in this process, which cannot leave it any more. 0, or a negative errno with *what
 * naming the step that failed. */
int proof_stage_enter(struct proof_stage *stage, const struct proof_subject *subject,
                      const char **what);

/* What came of a step. */
enum proof_end {
    PROOF_RESULT,  /* value is what the attempt returned */
    PROOF_KILLED,  /* value is the signal */
    PROOF_STUCK,   /* it was killed after PROOF_STEP_SEC */
    PROOF_UNTRIED, /* value is a negative errno: no such process could be had */
};

struct proof_outcome {
    enum proof_end end;
    int value;
};

/* Runs the step in a child and waits for it. */
struct proof_outcome proof_act(const struct proof_stage *stage, const struct proof_step *step);

/* What outcomes say, of one or, joined by |, of many. */
enum proof_verdict {
    PROOF_HOLDS = 0,
    PROOF_GOT_THROUGH = 1 << 0,
    PROOF_CONTROL_FAILED = 1 << 1,
    PROOF_SAYS_NOTHING = 1 << 2, /* refused, but not by the policy */
    PROOF_INTERRUPTED = 1 << 3,
    PROOF_ALL_GOT_THROUGH = 1 << 4, /* with PROOF_GOT_THROUGH, all that the sandbox tried */
};

/* Whether the outcome is what the step must lead to. If not, line says what happened. */
enum proof_verdict proof_judge(const struct proof_step *step, const struct proof_subject *subject,
                               const struct proof_outcome *outcome, char *line, size_t size);

/* What would put right what was found; verdicts is never PROOF_HOLDS. */
const char *proof_advice(unsigned verdicts);

/* The attempts. */

/* Opens it for writing. */
int proof_write_file(const struct proof_stage *stage, const char *path);
/* Opens it for reading. */
int proof_read_file(const struct proof_stage *stage, const char *path);
/* Makes and removes a file in it. */
int proof_write_directory(const struct proof_stage *stage, const char *path);
/* Makes a file in it that everybody may write, and opens that. */
int proof_write_own(const struct proof_stage *stage, const char *path);
/* Starts a copy of this program, which must come to have root's effective id if set-id. */
int proof_start_copy(const struct proof_stage *stage, const char *name);
/* The same of a copy with a file capability, where to be killed is to be refused. */
int proof_start_capable(const struct proof_stage *stage, const char *name);
/* Starts a program of the host; 0 as well when there is none. */
int proof_start_host(const struct proof_stage *stage, const char *path);
/* Connects, or sends a datagram, to the socket of that name. */
int proof_connect(const struct proof_stage *stage, const char *name);
int proof_send(const struct proof_stage *stage, const char *name);
/* The same with a socket that it makes itself. */
int proof_connect_own(const struct proof_stage *stage, const char *name);
int proof_send_own(const struct proof_stage *stage, const char *name);
/* Opens the environment of stage->target, of a child of its own, or of one in a user namespace, if
 * this host lets it have one; without an object. */
int proof_read_target(const struct proof_stage *stage, const char *object);
int proof_read_child(const struct proof_stage *stage, const char *object);
int proof_read_contained(const struct proof_stage *stage, const char *object);
/* Makes a vsock socket, or sees that this kernel has none, which it looks for once nobody denies
 * it; without an object. */
int proof_make_socket(const struct proof_stage *stage, const char *object);
/* Makes a map; without an object. */
int proof_make_map(const struct proof_stage *stage, const char *object);
/* Gets a descriptor of stage->map for writing, as this program and as a copy of it. */
int proof_write_map(const struct proof_stage *stage, const char *object);
int proof_write_map_copy(const struct proof_stage *stage, const char *name);

/* A socket of that type bound to that name, or a negative errno. */
int proof_bind(int type, const char *name);

/* 0 or a negative errno; for a process that may write the map. */
int proof_open_map(uint32_t id);
