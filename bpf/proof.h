/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whether the kernel policy that is attached denies, found out by trying. A program can be attached
 * and never run (the kernel asks no BPF LSM program unless "bpf" is in its list of LSMs), so the
 * loader calls this after it has attached, and pins nothing unless it returns 0.
 *
 * Every program is tried by processes that have the sandbox's real user id and whatever else the
 * kernel itself wants to see, so that only the policy is left to refuse; beside each denial stand
 * the attempts that have to work: by a user of no sandbox, and by the sandbox with its own.
 *
 * Refusals are those of everything that is attached. Where more than one policy is, the caller has
 * to find out whose they were; proof_refusals() says how many there have to be.
 *
 * All of it happens in a mount and network namespace of its own, on a tmpfs over RUN_DIR: nothing
 * appears on the host, nothing has to be removed, and nobody else can reach it. What a process of
 * the same sandbox can do is end the ones that try, since they have its user id; that fails.
 *
 * The caller is root, single-threaded, and has CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_CHOWN,
 * CAP_KILL, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_BPF, CAP_FSETID and
 * CAP_SETFCAP; without no_new_privs, which makes the kernel ignore set-id bits. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct proof_subject {
    uid_t uid; /* of one sandbox's user; 0: there is none */
    gid_t gid;
    uid_t locked_uid; /* of the user who is locked; 0: nobody is */
    gid_t locked_gid;
    bool deny_reads; /* to that user */
    int map;         /* descriptor of a map that nobody but the loader may write */
};

/* Called with one line that says which program, what got through or which control failed and why;
 * after those of all programs, once with what would put it right. */
typedef void (*proof_problem_t)(const char *problem, void *userdata);

/* 0 when every program denies and every control works; -EPERM after reporting what does not;
 * another negative errno, reported as well, when it could not be tried. */
int proof_run(const struct proof_subject *subject, proof_problem_t report, void *userdata);

/* How many refusals of that program ("world-write") proof_run() sees when it returns 0. */
size_t proof_refusals(const struct proof_subject *subject, const char *program);

/* First thing in the main() of a program that calls proof_run(): some attempts start a copy of it.
 * Does not return in such a copy. */
void proof_helper(int argc, char *const argv[]);
