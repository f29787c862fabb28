/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* kernel-proof UID: proves the policy that is pinned, as its loader does before it pins one, and
 * changes nothing. It has to stand where the loader does. */

#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/proof.h"

static int open_pin(const char *path)
{
    union bpf_attr attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.pathname = (uintptr_t)path;
    return (int)syscall(SYS_bpf, BPF_OBJ_GET, &attributes, sizeof attributes);
}

static void report(const char *problem, void *userdata)
{
    (void)userdata;
    puts(problem);
}

int main(int argc, char **argv)
{
    struct proof_subject subject = { 0 };

    proof_helper(argc, argv);
    if (argc != 2)
        return 2;
    subject.uid = subject.gid = (uid_t)strtoul(argv[1], NULL, 10);
    subject.map = open_pin("/sys/fs/bpf/pam-sandbox/policy");
    if (subject.map < 0) {
        perror("/sys/fs/bpf/pam-sandbox/policy");
        return 2;
    }

    return proof_run(&subject, report, NULL) < 0 ? 1 : 0;
}
