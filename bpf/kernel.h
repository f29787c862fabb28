/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The kernel's types, as far as the programs look into them. Only names matter: the loader finds
 * where each member really is in the BTF of the running kernel (CO-RE), and refuses to load what it
 * cannot find. Hence nothing here has to be in the kernel's order or complete. */

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
    unsigned int val;
} kuid_t;

typedef struct {
    unsigned int val;
} kgid_t;

/* 64 bits, one array or one integer of them: Linux 6.3 changed it. */
struct kernel_capabilities {
    __u64 val;
};

struct user_namespace {
    int level; /* 0: the initial one */
    kuid_t owner;
};

struct group_info {
    int ngroups;
    kgid_t gid[]; /* sorted: groups_sort() */
};

struct cred {
    kuid_t uid;
    kuid_t euid;
    kgid_t egid;
    kuid_t fsuid;
    kgid_t fsgid;
    struct kernel_capabilities cap_permitted;
    struct user_namespace *user_ns;
    struct group_info *group_info;
};

struct super_block {
    unsigned int s_dev;
    unsigned long s_magic;
    struct user_namespace *s_user_ns;
};

struct hlist_node {
    struct hlist_node *next;
};

struct hlist_head {
    struct hlist_node *first;
};

struct pid {
    struct hlist_head tasks[1]; /* by what the number is to them, the task of that number first */
};

struct inode {
    unsigned short i_mode;
    kuid_t i_uid;
    kgid_t i_gid;
    unsigned long i_ino;
    struct super_block *i_sb;
    struct hlist_head i_dentry; /* its names; of a directory, one */
};

struct qstr {
    __u32 len;
    const unsigned char *name;
};

struct dentry {
    struct dentry *d_parent; /* itself at the root of a file system */
    struct qstr d_name;
    struct inode *d_inode;
    struct super_block *d_sb;
    struct hlist_node d_alias; /* in i_dentry */
};

/* As it is in Linux 6.12: by 7.2 the union has lost its name. */
struct dentry___named_union {
    union {
        struct hlist_node d_alias;
    } d_u;
};

struct path {
    struct dentry *dentry;
};

struct file {
    struct path f_path;
    struct inode *f_inode;
};

/* Around each inode of /proc. */
struct proc_inode {
    struct pid *pid; /* of a file of /proc/PID */
    struct inode vfs_inode;
};

struct mm_struct {
    struct file *exe_file;
};

struct task_struct {
    unsigned int flags; /* PF_* */
    int tgid;
    __u64 start_boottime; /* nanoseconds */
    struct task_struct *group_leader;
    char comm[16];
    const struct cred *cred;
    const struct cred *real_cred;
    struct mm_struct *mm;
    struct hlist_node pid_links[1]; /* in tasks of struct pid */
};

struct linux_binprm {
    struct cred *cred;
    const char *filename;
};

struct sock {
    unsigned short sk_type;
    kuid_t sk_uid;
};

struct socket {
    struct sock *sk;
};

struct sockaddr_un {
    unsigned short sun_family;
    char sun_path[108];
};

struct unix_address {
    int len; /* of name, with sun_family and the NUL behind a path: unix_mkname_bsd() */
    struct sockaddr_un name[];
};

struct unix_sock {
    struct unix_address *addr;
    struct path path; /* where it was bound; no dentry when it has no path */
};

struct bpf_map {
    __u32 id;
};

#pragma clang attribute pop

/* include/linux/fs.h */
#define MAY_EXEC 0x01
#define MAY_WRITE 0x02
#define MAY_READ 0x04
#define MAY_ACCESS 0x10 /* access(2): a question, not an attempt */
#define FMODE_WRITE 0x02

/* include/linux/sched.h: it ends, and its memory is being written down */
#define PF_DUMPCORE 0x200

/* include/linux/ptrace.h: reading; more than that; and likewise a question */
#define PTRACE_MODE_READ 0x01
#define PTRACE_MODE_ATTACH 0x02
#define PTRACE_MODE_NOAUDIT 0x04

/* include/uapi/linux/magic.h */
#define PROC_SUPER_MAGIC 0x9fa0

/* include/uapi/linux/stat.h, which the libc's own hides from programs */
#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_ISVTX 0001000
#define S_IWOTH 0000002

#define EPERM 1
#define EACCES 13
