/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a caller asks Enter for, and whether it may have it. Nothing here acts, and root acts on
 * none of it later: command, directory and variables are handed to a program that runs as the
 * sandbox. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-json.h>

#include "conf/config.h"

/* In one string, as the kernel has it (MAX_ARG_STRLEN in include/uapi/linux/binfmts.h), with room
 * for the name of an option; and in all of them. */
#define REQUEST_STRING_MAX (120U << 10)
#define REQUEST_TOTAL_MAX (1U << 20)
#define REQUEST_TIMEOUT_MAX_USEC (UINT64_C(3650) * 24 * 3600 * 1000000)

#define REQUEST_NO_FD UINT32_MAX

/* Strings belong to the JSON object, but for the vectors. */
struct request {
    const char *sandbox;   /* NULL: the only one */
    char **command;        /* NULL or empty: the user's shell */
    const char *directory; /* NULL: the home */
    char **environment;    /* NAME=VALUE */
    uint32_t terminal;     /* index of a descriptor, or REQUEST_NO_FD */
    uint32_t streams[3];   /* likewise: input, output, errors */
    size_t n_streams;
    uint64_t timeout_usec; /* 0: none */
    bool reap;
};

#define REQUEST_INIT ((struct request){ .terminal = REQUEST_NO_FD })

/* As those of sd_json_dispatch(3), but null stands for what is not there. */
int request_dispatch_flag(const char *name, sd_json_variant *variant,
                          sd_json_dispatch_flags_t flags, void *userdata);
int request_dispatch_number(const char *name, sd_json_variant *variant,
                            sd_json_dispatch_flags_t flags, void *userdata);

/* A table for sd_json_dispatch(3) and sd_varlink_dispatch(3), into a struct request. */
extern const sd_json_dispatch_field request_fields[];

void request_done(struct request *request);

/* Which parameter cannot be had, and why, in words that follow its name. */
struct request_refusal {
    const char *parameter;
    char why[320];
};

/* Returns 0; -EACCES for a variable that the configuration does not permit; -EINVAL. */
int request_check(const struct request *request, const struct config *config,
                  const struct config_sandbox *sandbox, struct request_refusal *refusal);

/* Variables of the terminal, which run0 itself passes on, and the PAM module where their value is
 * of the plain form they have. */
bool request_is_of_terminal(const char *assignment);
