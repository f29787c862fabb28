/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The programs in the kernel: loaded, attached, pinned. As long as they are not pinned, they are
 * attached for as long as this process holds them, and nothing of them is left when it ends. */

#include <stdint.h>

#include "bpf/mode.h"
#include "bpf/policy.h"

struct programs;

/* Whom the policy holds. */
enum programs_about {
    PROGRAMS_ABOUT_SANDBOXES = 1,
    PROGRAMS_ABOUT_LOCKED = 2,
    PROGRAMS_ABOUT_READS = 4, /* who is locked, by deny-reads */
};

/* Loads the programs of a mode that hold any of about, which are PROGRAMS_ABOUT_*. The maps that
 * are pinned are taken over if they are as the programs want them. Returns 0 or a negative errno;
 * libbpf and the verifier have written why to stderr. */
int programs_load(enum policy_mode mode, unsigned about, struct programs **ret);

/* Attaches all; on an error *failed is the name of the one that could not be. */
int programs_attach(struct programs *programs, const char **failed);

/* Pins the links and the maps, where pins_begin() has made a place for them. */
int programs_pin(struct programs *programs);

/* How often the programs of that number have denied since they were loaded. */
uint64_t programs_denied(const struct programs *programs, enum policy_program program);

/* The map `policy`. */
int programs_policy_fd(const struct programs *programs);

/* Lets go: what is not pinned is detached. */
void programs_free(struct programs *programs);

static inline void programs_freep(struct programs **programs)
{
    programs_free(*programs);
}
