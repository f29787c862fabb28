/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the programs can be attached on the running kernel. */

#include <stdio.h>

enum policy_mode {
    MODE_LSM,      /* as a BPF LSM: the kernel has "bpf" in its list of LSMs */
    MODE_FMOD_RET, /* on the functions that ask all LSMs */
};

/* As the names of the programs in the object begin. */
const char *policy_mode_prefix(enum policy_mode mode);

/* From the kernel's list of LSMs, names with commas between them. */
enum policy_mode policy_mode_of(const char *lsms);

/* Asks the running kernel. Returns 0 or a negative errno; -ENOENT: securityfs is not mounted. */
#define LSM_LIST_FILE "/sys/kernel/security/lsm"
int policy_mode_detect(enum policy_mode *ret);
