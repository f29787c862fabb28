/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The nftables table of all sandboxes, as text for one transaction.
 *
 * What it does: a packet that a sandbox's socket sends is looked up by the uid of whoever made the
 * socket, in a hash, or in a tree of ranges for subordinate ids, so that it costs the same for one
 * sandbox and for a thousand; packets of everybody else pass these look-ups and nothing more. A
 * packet is judged by where it goes, each by itself: that a connection exists already is no reason
 * to let it go on, but between two processes of this host, where the first packet decides. What is
 * refused is refused with an answer, so that nobody waits.
 *
 * Everything in the text that comes from a configuration is a number or an address, but for the
 * names of counters, which have a uid in them.
 *
 * Pure: data in, text out. */

#include <stdio.h>
#include <sys/types.h>

#include "conf/config.h"

#define RULESET_FAMILY "inet"
#define RULESET_TABLE "pam_sandbox"

struct ruleset_address {
    int family;          /* AF_INET or AF_INET6 */
    uint8_t address[16]; /* network byte order; the first 4 for AF_INET */
};

#define RULESET_NO_UID ((uid_t) - 1)

struct ruleset_input {
    const struct config *config;
    uid_t proxy_uid;                        /* of all proxies; RULESET_NO_UID: there are none */
    uid_t lock_uid;                         /* of host.lock_user; RULESET_NO_UID: none */
    const struct config_id_range *lock_ids; /* that user's subordinate ones */
    size_t n_lock_ids;
    const struct ruleset_address *resolvers; /* that the proxies ask */
    size_t n_resolvers;
    /* As config->sandboxes: the sandbox has a control group, ruleset_slice(). NULL: none has. */
    const bool *slices;
};

/* Takes the place of whatever table of the name there is. 0 or a negative errno. */
int ruleset_write(const struct ruleset_input *input, FILE *out);

/* Takes it away, if it is there. */
int ruleset_write_removal(FILE *out);

/* Replaces what says in which control groups the listeners are that a sandbox may reach on this
 * host, its own. Each that input->slices says is there must be. */
int ruleset_write_slices(const struct ruleset_input *input, FILE *out);

/* The control group of all processes of a sandbox, below the root of control groups. */
#define RULESET_SLICE_SIZE 64
void ruleset_slice(const struct config_sandbox *sandbox, char slice[static RULESET_SLICE_SIZE]);
