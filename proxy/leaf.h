/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Certificates for the hosts that clients ask for.
 *
 * Promises: one is minted when it is first wanted, by the signer, and only once however many wait
 * for it; at most LEAVES_MAX are kept, the longest unused go first; none is given out that is past
 * half of its life, whatever the clock did. All share one key, which lives as long as the process:
 * who has the process has every leaf's key in any case. */

#include <openssl/ssl.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "proxy/host.h"

#define LEAVES_MAX 2048

struct leaves;
struct leaf;

/* One that waits, part of whatever waits; on at most one leaf. */
struct leaf_waiter {
    struct leaf_waiter *next, **previous; /* previous NULL: does not wait */
    void (*ready)(struct leaf_waiter *waiter);
};

/* Takes the signer's socket, and what is sent behind each leaf (NULL: nothing). When the socket
 * closes, the event loop is ended with -EPIPE: without a signer there is no proxy, and systemd
 * starts both anew. */
int leaves_new(sd_event *event, int signer, STACK_OF(X509) * chain, struct leaves **ret);
void leaves_free(struct leaves *leaves);

/* Has the leaf made if it is not there; for when it is known that it will be wanted. */
void leaves_prepare(struct leaves *leaves, const struct identity *identity);

/* Gives the handshake its certificate. 0; -EAGAIN: waiter is called once it is there or failed;
 * another negative errno: it cannot be had. */
int leaves_use(struct leaves *leaves, const struct identity *identity, SSL *ssl,
               struct leaf_waiter *waiter);
void leaf_waiter_cancel(struct leaf_waiter *waiter);
