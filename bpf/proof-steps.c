/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <linux/capability.h>

#include "bpf/proof-step.h"

#define KEEP(capability) (UINT64_C(1) << (capability))

/* open(2) of /proc/PID/environ asks the file's mode, and then ptrace_may_access(). */
#define READING (KEEP(CAP_DAC_READ_SEARCH) | KEEP(CAP_SYS_PTRACE))
#define BPF (KEEP(CAP_BPF) | KEEP(CAP_SYS_ADMIN))

/* Denials first, then their controls. The errno of a denial is what the attempt's system call makes
 * of the program's: /proc/PID/environ says EACCES whatever ptrace_may_access() is refused with. */
const struct proof_step proof_steps[] = {
    { "world-write", "open for writing a file of root's that everybody may write", PROOF_SANDBOX, 0,
      EACCES, proof_write_file, PROOF_ROOT_FILE },
    { "world-write", "make a file in a directory of root's that everybody may write", PROOF_SANDBOX,
      0, EACCES, proof_write_directory, PROOF_ROOT_DIRECTORY },
    { "world-write", "open for writing a file of root's that everybody may write", PROOF_OTHER, 0,
      0, proof_write_file, PROOF_ROOT_FILE },
    { "world-write", "make a file in a directory of root's that everybody may write", PROOF_OTHER,
      0, 0, proof_write_directory, PROOF_ROOT_DIRECTORY },
    { "world-write", "write a file of its own that everybody may write", PROOF_SANDBOX, 0, 0,
      proof_write_own, PROOF_OWN_DIRECTORY },

    { "set-id", "start a set-uid program of root's", PROOF_SANDBOX, 0, EPERM, proof_start_copy,
      PROOF_SET_ID_PROGRAM },
    { "set-id", "start a program that has a capability", PROOF_SANDBOX, 0, EPERM,
      proof_start_capable, PROOF_CAPABLE_PROGRAM },
    { "set-id", "start a set-uid program of root's", PROOF_OTHER, 0, 0, proof_start_copy,
      PROOF_SET_ID_PROGRAM },
    { "set-id", "start a program that has a capability", PROOF_OTHER, 0, 0, proof_start_capable,
      PROOF_CAPABLE_PROGRAM },
    { "set-id", "start the same program with neither", PROOF_SANDBOX, 0, 0, proof_start_copy,
      PROOF_PLAIN_PROGRAM },
    { "set-id", "start newuidmap, which is allowed", PROOF_SANDBOX, 0, 0, proof_start_host,
      "/usr/bin/newuidmap" },

    { "sockets", "connect to a stream socket of root's by its path", PROOF_SANDBOX, 0, EPERM,
      proof_connect, PROOF_STREAM },
    { "sockets", "connect to an abstract stream socket of root's", PROOF_SANDBOX, 0, EPERM,
      proof_connect, "@" PROOF_STREAM },
    { "sockets", "send to a datagram socket of root's by its path", PROOF_SANDBOX, 0, EPERM,
      proof_send, PROOF_DATAGRAM },
    { "sockets", "send to an abstract datagram socket of root's", PROOF_SANDBOX, 0, EPERM,
      proof_send, "@" PROOF_DATAGRAM },
    { "sockets", "connect to a stream socket of root's by its path", PROOF_OTHER, 0, 0,
      proof_connect, PROOF_STREAM },
    { "sockets", "connect to an abstract stream socket of root's", PROOF_OTHER, 0, 0, proof_connect,
      "@" PROOF_STREAM },
    { "sockets", "send to a datagram socket of root's by its path", PROOF_OTHER, 0, 0, proof_send,
      PROOF_DATAGRAM },
    { "sockets", "send to an abstract datagram socket of root's", PROOF_OTHER, 0, 0, proof_send,
      "@" PROOF_DATAGRAM },
    { "sockets", "connect to a stream socket of its own by its path", PROOF_SANDBOX, 0, 0,
      proof_connect_own, PROOF_OWN_DIRECTORY "/" PROOF_STREAM },
    { "sockets", "send to an abstract datagram socket of its own", PROOF_SANDBOX, 0, 0,
      proof_send_own, "@own-" PROOF_DATAGRAM },

    { "reads", "open the environment of a process of root's", PROOF_SANDBOX, READING, EACCES,
      proof_read_target, NULL },
    { "reads", "open the environment of a process of root's", PROOF_OTHER, READING, 0,
      proof_read_target, NULL },
    { "reads", "open the environment of a process of its own", PROOF_SANDBOX, READING, 0,
      proof_read_child, NULL },

    { "self", "make a BPF map", PROOF_SANDBOX, BPF, EPERM, proof_make_map, NULL },
    { "self", "make a BPF map", PROOF_OTHER, BPF, 0, proof_make_map, NULL },
    { "self", "open the policy's map for writing, as another program than the loader", PROOF_ROOT,
      0, EPERM, proof_write_map_copy, PROOF_PLAIN_PROGRAM },
    { "self", "open the policy's map for writing, as the loader", PROOF_ROOT, 0, 0, proof_write_map,
      NULL },

    { "families", "make a vsock socket", PROOF_SANDBOX, 0, EACCES, proof_make_socket, NULL },
    { "families", "make a vsock socket", PROOF_OTHER, 0, 0, proof_make_socket, NULL },

    { "set-id", "start a set-uid program of root's", PROOF_LOCKED, 0, EPERM, proof_start_copy,
      PROOF_SET_ID_PROGRAM, true },
    { "set-id", "start a program that has a capability", PROOF_LOCKED, 0, EPERM,
      proof_start_capable, PROOF_CAPABLE_PROGRAM, true },
    { "set-id", "start a set-uid program of root's", PROOF_OTHER, 0, 0, proof_start_copy,
      PROOF_SET_ID_PROGRAM, true },
    { "set-id", "start newuidmap, which is allowed", PROOF_LOCKED, 0, 0, proof_start_host,
      "/usr/bin/newuidmap", true },

    { "sockets", "connect to a stream socket by a name that is closed", PROOF_LOCKED, 0, EPERM,
      proof_connect, PROOF_LOCK_SOCKET, true },
    { "sockets", "connect to a stream socket by a name that is closed", PROOF_OTHER, 0, 0,
      proof_connect, PROOF_LOCK_SOCKET, true },
    { "sockets", "connect to a stream socket of root's by its path", PROOF_LOCKED, 0, 0,
      proof_connect, PROOF_STREAM, true },

    { "groups", "read a file that group root alone may read", PROOF_LOCKED, 0, EACCES,
      proof_read_file, PROOF_GROUP_FILE, true },
    { "groups", "read a file that group root alone may read", PROOF_OTHER, 0, 0, proof_read_file,
      PROOF_GROUP_FILE, true },
    { "groups", "read a file that everybody may read", PROOF_LOCKED, 0, 0, proof_read_file,
      PROOF_ROOT_FILE, true },

    { "reads", "open the environment of a process of its own", PROOF_LOCKED, READING, EACCES,
      proof_read_child, NULL, true },
    { "reads", "open the environment of a process of its own", PROOF_OTHER, READING, 0,
      proof_read_child, NULL, true },
    { "reads", "open the environment of a process in a container", PROOF_LOCKED, READING, EACCES,
      proof_read_contained, NULL, true },
    { "reads", "open the environment of a process in a container", PROOF_OTHER, READING, 0,
      proof_read_contained, NULL, true },
};

const size_t n_proof_steps = sizeof proof_steps / sizeof proof_steps[0];

bool proof_step_is_on(const struct proof_step *step, const struct proof_subject *subject)
{
    if (!step->of_lock)
        return subject->uid != 0;
    if (step->attempt == proof_read_child || step->attempt == proof_read_contained)
        return subject->locked_uid != 0 && subject->deny_reads;
    return subject->locked_uid != 0;
}
