/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Processes of the user who is locked. All functions return 0 or a negative errno, or what they
 * say. */

#include <stdint.h>
#include <sys/types.h>

/* When a process began, in ticks since boot: proc_pid_stat(5), field 22. With its id that is which
 * process it is. */
int process_started(pid_t pid, uint64_t *ret);

/* How many processes with that real uid run that program, by the name that the kernel keeps and by
 * the file that is executed; the last one found in *ret_pid and *ret_started. Both names can be had
 * by any process of the user, so that a caller wants exactly one, and then takes that very process.
 */
int process_find(const char *program, uid_t uid, pid_t *ret_pid, uint64_t *ret_started);

/* Removes the sockets and pipes at which .NET (learn.microsoft.com/dotnet/core/diagnostics/
 * diagnostic-port) serves whoever asks with the same uid: memory, environment, and code to load.
 * How many there were. */
int process_unlink_diagnostics(pid_t pid, uid_t uid);
