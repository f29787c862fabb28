/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denial-rules.h"

const struct denial_rule denial_rules[N_PROGRAMS] = {
    [PROGRAM_WORLD_WRITE] = {
        .program = "world-write",
        .what = "writing what everybody may write",
        .allowed = "a group of the sandbox (option groups) that the file's own group is, or"
                   " another owner; no option opens what only the permissions of others open",
    },
    [PROGRAM_SET_ID] = {
        .program = "set-id",
        .what = "running a program that gains privilege",
        .allowed = "nothing; newuidmap and newgidmap alone may gain privilege, for rootless"
                   " containers. What needs root is root's to do, outside the sandbox",
    },
    [PROGRAM_SOCKETS] = {
        .program = "sockets",
        .what = "connecting to a socket of somebody else",
        .allowed = "option local.allow-sockets of the sandbox, where the socket has a path and is"
                   " the host's; nothing opens an abstract socket, nor one of another sandbox or"
                   " of a container",
    },
    [PROGRAM_READS] = {
        .program = "reads",
        .what = "reading or tracing a process of somebody else",
        .allowed = "nothing; run both processes in the same sandbox",
    },
    [PROGRAM_SELF] = {
        .program = "self",
        .what = "bpf(2), by which the policy could be changed",
        .allowed = "nothing; the policy is changed by sandboxctl apply, and taken away by root with"
                   " systemctl stop pam-sandbox-lsm.service",
    },
    [PROGRAM_GROUPS] = {
        .program = "groups",
        .what = "opening what only a group opens that is root by another name",
        .allowed = "nothing, for the user of option lock-user; another user or owner of the file",
    },
    [PROGRAM_FAMILIES] = {
        .program = "families",
        .what = "a socket of an address family that nothing else here holds",
        .allowed = "nothing; sandboxes have Unix, IP, netlink and packet sockets",
    },
};
