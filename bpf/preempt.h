/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
#pragma once

/* Whether the kernel may skip a program.
 *
 * A program that is attached to a function runs once at a time on a processor: who comes to it
 * there while another process is in it goes on as if it were not attached. Programs of a BPF LSM
 * were treated so until Linux 6.2. Nobody comes to it in between unless the kernel preempts itself,
 * and then a sandbox can bring it about. */

/* kernel/sched/core.c. What comes behind, full and lazy, preempts inside the kernel. */
#define PREEMPT_UNKNOWN (-1)
#define PREEMPT_NONE 0
#define PREEMPT_VOLUNTARY 1

#ifndef __bpf__
#include <stdbool.h>

#include "bpf/mode.h"

/* Whether it matters: release as in uname(2). */
bool preempt_matters(enum policy_mode mode, const char *release);

/* What the kernel was built for, version as in uname(2): 0 for a kernel that does not preempt
 * itself, 1 for one that does, -EAGAIN for one that decided at boot. */
int preempt_is_built_in(const char *version);

/* Asks the running kernel. 1 when it may skip programs, or does not say; 0, or a negative errno. */
int preempt_may_skip(enum policy_mode mode);
#endif
