/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
#pragma once

/* What the programs in the kernel look up, and the loader writes: one trie for everything, so that
 * exchanging it exchanges all of it. The trie in force is element 0 of the map `policy` (an array
 * of maps); a program takes it once and asks nothing else, so it sees one policy and never a
 * mixture.
 *
 * The trie is a BPF_MAP_TYPE_LPM_TRIE: the longest prefix of a key that is in it is the answer.
 * That is what ranges of ids and directories of sockets are looked up by, in a number of steps that
 * is bounded by the key's length and not by the number of sandboxes. */

#include <linux/types.h>

enum policy_kind {
    POLICY_ID = 1, /* which sandbox does this user id belong to? */
    POLICY_SOCKET, /* may this sandbox connect to a socket that was bound to this name? And of who
                    * is locked: must it not? */
    POLICY_SET_ID, /* may this user, or any, gain privilege by this program? */
    POLICY_LOADER, /* is this the program of a process that may write our maps? */
    POLICY_GROUP,  /* is the group of this id root by another name? */
    POLICY_READER, /* is this the process that may read others of who is locked? */
};

/* sun_path of struct sockaddr_un, unix(7); and longer than a name in either directory. */
#define POLICY_PATH_SIZE 108
#define POLICY_NAME_SIZE 64

/* A file by where it stands and not by its inode, which an upgrade of its package replaces: its
 * file system, its directory and its name in there. The programs compare what the kernel's dentry
 * says, which no bind mount changes. */
struct policy_file {
    __u64 directory;             /* inode number */
    __u32 device;                /* of the super block, as in the kernel: major << 20 | minor */
    char name[POLICY_NAME_SIZE]; /* padded with NUL */
    __u32 padding;
};

/* A process, beside its id: when it began, CLOCK_BOOTTIME in ticks, of which proc_pid_stat(5) tells
 * no fraction. Two that have both in common would have to begin and end in one. */
#define POLICY_TICK_NSEC 10000000ULL

/* All bytes that a kind does not use are 0. */
struct policy_key {
    __u32 prefix; /* how many bits count of what follows; in a look-up, all */
    __u32 kind;
    /* Network byte order. POLICY_ID, POLICY_GROUP: the id; POLICY_SOCKET, POLICY_SET_ID: the
     * sandbox or who is locked, 0 for every one; POLICY_READER: the process; else 0. */
    __u32 id;
    __u32 padding;
    union {
        /* POLICY_SOCKET: "/run/x/" and everything below it, or one path with the NUL behind it. */
        char path[POLICY_PATH_SIZE];
        struct policy_file file; /* POLICY_SET_ID, POLICY_LOADER */
        __u64 started;           /* POLICY_READER */
    };
};

/* Prefixes in bits: of a POLICY_ID of which so many bits count, and of the other kinds, of which so
 * many bytes of the union count. */
#define POLICY_ID_PREFIX(bits) (32 + (bits))
#define POLICY_PREFIX(bytes) ((12 + (bytes)) * 8)
#define POLICY_KEY_BITS ((sizeof(struct policy_key) - 4) * 8)

/* A sandbox, and a user who is locked, are known by the user's uid, in kernel ids, host byte order.
 * Kinds other than POLICY_ID have 0 there; an id is one's or the other's. */
struct policy_value {
    __u32 sandbox;
    __u32 locked;
    __u32 deny_reads; /* of who is locked: 1 when its processes do not read each other */
};

/* The programs, by these numbers in denials and by these names everywhere else. */
enum policy_program {
    PROGRAM_WORLD_WRITE,
    PROGRAM_SET_ID,
    PROGRAM_SOCKETS,
    PROGRAM_READS,
    PROGRAM_SELF,
    PROGRAM_FAMILIES,
    PROGRAM_GROUPS,
    N_PROGRAMS,
};
