/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
#pragma once

/* A denial, as the programs leave it in the ring buffer `denials` and pam-sandbox-denials.service
 * takes it out. Everything in it may be chosen by who was denied: names have any bytes but NUL. */

#include <linux/types.h>

#include "bpf/policy.h"

#define DENIAL_COMM_SIZE 16 /* TASK_COMM_LEN of the kernel */
#define DENIAL_OBJECT_SIZE 256

/* What the object is called by. */
enum denial_object {
    OBJECT_NONE,      /* it has no name: an unlinked file, a bpf(2) command */
    OBJECT_PATH,      /* as given to bind(2) or execve(2) */
    OBJECT_IN_DEVICE, /* from the root of its file system, which is `device`; its first components
                       * are missing when it does not begin with '/' */
    OBJECT_ABSTRACT,  /* an abstract socket's name, without its leading NUL; inner NULs are '@' */
    OBJECT_PROCESS,   /* object_pid, and its comm as object */
};

struct denial {
    __u64 nsec;    /* CLOCK_BOOTTIME */
    __u64 inode;   /* of a file or directory, else 0 */
    __u32 device;  /* its super block's: major << 20 | minor */
    __u32 sandbox; /* uid of the sandbox's user; 0: a process of none (PROGRAM_SELF) */
    __u32 uid;     /* real user id of who was denied, kernel ids as all of them */
    __u32 pid;     /* process id, init namespace */
    __u32 dropped; /* denials of this sandbox that were not reported since the last one that was */
    __u32 object_uid; /* whose the object is */
    __u32 object_pid; /* OBJECT_PROCESS */
    __u32 detail;     /* WORLD_WRITE: st_mode; SET_ID: the uid it would have; SELF: bpf(2) command
                       * or DENIAL_OPEN_MAP; SOCKETS: SOCK_STREAM and so on; READS: PTRACE_MODE_* of
                       * the kernel, or 0 for a core dump; FAMILIES: AF_* */
    __u8 program;     /* enum policy_program */
    __u8 object_kind;
    __u16 object_length; /* bytes of object, without a NUL */
    char comm[DENIAL_COMM_SIZE];
    char object[DENIAL_OBJECT_SIZE];
};

/* Instead of a command: one of our maps was to be opened for writing. */
#define DENIAL_OPEN_MAP 0xffffffffU

/* Denials a sandbox may have reported in a window of time; the rest is counted. */
#define DENIAL_BURST 50
#define DENIAL_WINDOW_NSEC (10ULL * 1000000000)

/* Value of the map `denial_rates`, a hash by sandbox: what was dropped and not yet told. */
struct denial_rate {
    __u64 window_nsec; /* when the window began, CLOCK_BOOTTIME */
    __u32 reported;    /* in this window */
    __u32 dropped;     /* since the last that was reported */
};
