/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the parts of one proxy share. One thread, one event loop: nothing here is locked.
 *
 *   client ── codec ── exchange ── codec ── origin
 *     │                   │                   │
 *   tunnel, leaf       policy, log       pool, dial, judge
 *
 * The codec is h1; one for HTTP/2 stands beside it, on either side, behind struct wire. */

#include <openssl/ssl.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "proxy/dial.h"
#include "proxy/later.h"
#include "proxy/timers.h"

/* What is read at a time: four records of TLS. */
#define SCRATCH_SIZE (64 * 1024)

/* One side is not read any more when so much waits to be sent to the other. */
#define PENDING_MAX (64 * 1024)

/* Reads of one connection before it is the others' turn. */
#define READS_MAX 4

struct policy;
struct leaves;
struct pool;
struct listeners;
struct log;

struct proxy {
    sd_event *event;
    struct timers timers;
    struct later_queue later;
    struct dialler dialler;
    struct leaves *leaves;
    struct pool *pool;
    SSL_CTX *client_tls;
    SSL_CTX *origin_tls;
    const char *sandbox;
    struct policy *policy; /* exchanged as a whole on reload */
    struct log *log;

    size_t n_clients, clients_max;
    struct listeners *listeners;

    char client_scratch[SCRATCH_SIZE]; /* for one connection at a time, see later.h */
    char origin_scratch[SCRATCH_SIZE];
};
