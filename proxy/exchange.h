/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One request and its response, whatever they are written in: asks the policy, finds an origin,
 * passes heads, body pieces and trailers on, and answers itself where it must.
 *
 * Promises: a request that the policy refuses is not looked up, let alone sent; every request ends
 * in exactly one answer or one aborted one, and one record in the log; what waits in either
 * direction is bounded by PENDING_MAX and one read. */

#include <stdbool.h>
#include <stdint.h>

#include "proxy/message.h"
#include "proxy/policy.h"
#include "proxy/refusal.h"
#include "proxy/wire.h"

struct proxy;
struct origin;
struct place;

enum exchange_state {
    EXCHANGE_NONE,    /* between two requests, or answered: what still comes is discarded */
    EXCHANGE_WAITING, /* for an origin */
    EXCHANGE_OPEN,    /* with an origin */
};

struct exchange {
    struct proxy *proxy;
    struct wire client;
    struct wire origin;
    struct origin *waits_for;
    enum exchange_state state;
    struct head *request;

    /* One side was told not to read on, and has to be told when there is room again. */
    bool request_paused, response_paused;
    bool starting; /* exchange_request() runs */
    bool request_ended;
    bool response_begun; /* its final head went to the client */
    bool relays;         /* a WebSocket: bytes in both directions */
    bool reused;         /* the origin's connection had a request before */
    bool retried;
    bool origin_spoke; /* some of its answer came */

    enum refusal refusal;
    struct policy_verdict verdict;
    unsigned status;                     /* as sent to the client */
    uint64_t begin_usec;                 /* CLOCK_REALTIME, for the log */
    uint64_t started_usec;               /* CLOCK_MONOTONIC */
    uint64_t sent_bytes, received_bytes; /* to and from the origin: bodies */
};

void exchange_init(struct exchange *exchange, struct proxy *proxy, struct wire client);

/* The client's side tells. The head is complete: scheme, and target with its port. */
void exchange_request(struct exchange *exchange, const struct head *head);
void exchange_request_body(struct exchange *exchange, const char *data, size_t size);
void exchange_request_end(struct exchange *exchange, const struct field *trailers,
                          size_t n_trailers);
void exchange_client_gone(struct exchange *exchange);

/* The rest of a request cannot be read. */
void exchange_request_broken(struct exchange *exchange, unsigned status, const char *detail);

/* A request that is answered before anybody is asked. head is NULL if there is none to be had;
 * status 0: the table's. detail is one line. */
void exchange_refuse(struct exchange *exchange, const struct head *head, enum refusal refusal,
                     unsigned status, const char *detail);

/* Nothing has moved for too long. */
void exchange_timed_out(struct exchange *exchange);

/* Whether the client's, the origin's side should read on. If not, it is resumed once it should. */
bool exchange_wants_request(struct exchange *exchange);
bool exchange_wants_response(struct exchange *exchange);

/* Sends to the client what was kept, after a batch of what the origin's side told. */
void exchange_flush_client(struct exchange *exchange);

/* Something was sent to the client, to the origin: there may be room. */
void exchange_client_drained(struct exchange *exchange);
void exchange_origin_drained(struct exchange *exchange);

/* The origin's side tells. After exchange_response_end() and exchange_origin_failed() it is not
 * part of the exchange any more. */
void exchange_origin_ready(struct exchange *exchange, struct wire origin, bool reused);
void exchange_response(struct exchange *exchange, const struct head *head);
void exchange_response_body(struct exchange *exchange, const char *data, size_t size);
void exchange_response_end(struct exchange *exchange, const struct field *trailers,
                           size_t n_trailers);
void exchange_origin_failed(struct exchange *exchange, enum refusal refusal, const char *detail);
