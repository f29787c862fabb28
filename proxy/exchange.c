/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proxy/fields.h"
#include "proxy/origin.h"
#include "proxy/proxy.h"
#include "proxy/record.h"

void exchange_init(struct exchange *exchange, struct proxy *proxy, struct wire client)
{
    *exchange = (struct exchange){ .proxy = proxy, .client = client };
}

static void begin(struct exchange *exchange)
{
    exchange_init(exchange, exchange->proxy, exchange->client);
    sd_event_now(exchange->proxy->event, CLOCK_REALTIME, &exchange->begin_usec);
    sd_event_now(exchange->proxy->event, CLOCK_MONOTONIC, &exchange->started_usec);
}

/* Both sides have what they get. detail is NULL when there is nothing to be said about it. */
static void finish(struct exchange *exchange, const char *detail)
{
    record_exchange(exchange, detail);
    free(exchange->request);
    exchange->request = NULL;
    exchange->state = EXCHANGE_NONE;
    exchange->relays = false;
}

static void leave_origin(struct exchange *exchange)
{
    struct wire origin = exchange->origin;

    if (exchange->waits_for)
        origin_forget(exchange->waits_for);
    else if (origin.ops)
        origin.ops->abort(origin.of);
    exchange->waits_for = NULL;
    exchange->origin = (struct wire){ 0 };
}

/* --- answers of the proxy's own --- */

/* In one piece, so that most clients print it. token and detail hold no control characters. */
static void answer(struct exchange *exchange, unsigned status, const char *token,
                   const char *detail)
{
    char text[768];
    int size = snprintf(text, sizeof(text), "pam-sandbox egress: %s: %s\n", token, detail);
    struct field fields[] = {
        { SLICE("X-Egress-Denied"), { token, strlen(token) } },
        { SLICE("Content-Type"), SLICE("text/plain; charset=us-ascii") },
        { SLICE("Cache-Control"), SLICE("no-store") },
    };
    bool head_only = exchange->request && exchange->request->head_only;

    if (size >= (int)sizeof(text))
        size = sizeof(text) - 1;
    struct head head = { .status = status,
                         .body = head_only ? BODY_NONE : BODY_SIZED,
                         .has_length = true,
                         .length = (uint64_t)size,
                         .fields = fields,
                         .n_fields = sizeof(fields) / sizeof(fields[0]) };
    const struct wire *client = &exchange->client;

    exchange->status = status;
    exchange->response_begun = true;
    client->ops->head(client->of, &head);
    if (!head_only)
        client->ops->body(client->of, text, (size_t)size);
    client->ops->end(client->of, NULL, 0);
    client->ops->flush(client->of);
    finish(exchange, detail);
}

static void refuse(struct exchange *exchange, enum refusal refusal, unsigned status,
                   const char *detail)
{
    leave_origin(exchange);
    exchange->refusal = refusal;
    answer(exchange, status ? status : refusals[refusal].status, refusals[refusal].token, detail);
}

void exchange_refuse(struct exchange *exchange, const struct head *head, enum refusal refusal,
                     unsigned status, const char *detail)
{
    begin(exchange);
    if (head && head_copy(head, &exchange->request) < 0)
        exchange->request = NULL;
    refuse(exchange, refusal, status, detail);
}

/* --- the decision --- */

static void split_path(const struct head *head, char **ret_path, size_t *ret_size)
{
    const char *query = memchr(head->path.data, '?', head->path.size);

    *ret_path = (char *)head->path.data;
    *ret_size = query ? (size_t)(query - head->path.data) : head->path.size;
}

/* What is matched is what is sent. */
static int normalise_path(struct head *head)
{
    char *path;
    size_t before, size;

    split_path(head, &path, &before);
    size = before;
    if (size == 1 && path[0] == '*')
        return 0;
    int r = policy_normalise_path(path, &size);
    if (r < 0)
        return r;
    memmove(path + size, path + before, head->path.size - before);
    head->path.size -= before - size;
    return 0;
}

#define METHOD_SIZE 32

static void describe(const struct head *head, char method[static METHOD_SIZE],
                     struct policy_request *ret)
{
    char *path;
    size_t size;

    split_path(head, &path, &size);
    snprintf(method, METHOD_SIZE, "%.*s", (int)head->method.size, head->method.data);
    *ret = (struct policy_request){
        .method = method,
        .host = head->target.host,
        .port = head->target.port,
        .path = path,
        .path_size = size,
        .has_body = head->body != BODY_NONE,
        .upgrade = head->upgrade == UPGRADE_NONE        ? POLICY_UPGRADE_NONE
                   : head->upgrade == UPGRADE_WEBSOCKET ? POLICY_UPGRADE_WEBSOCKET
                                                        : POLICY_UPGRADE_OTHER,
    };
}

/* Returns false when it has answered. */
static bool allowed(struct exchange *exchange)
{
    struct policy_request request;
    char method[METHOD_SIZE], detail[512];

    describe(exchange->request, method, &request);
    policy_decide(exchange->proxy->policy, &request, &exchange->verdict);
    if (exchange->verdict.allowed)
        return true;
    policy_explain(&request, &exchange->verdict, detail, sizeof(detail));
    exchange->refusal = REFUSAL_POLICY;
    answer(exchange, refusals[REFUSAL_POLICY].status, policy_reason_token(exchange->verdict.reason),
           detail);
    return false;
}

/* Not only the port that we listen on: others of the package's listen on loopback as well. */
static bool is_loopback(const struct identity *target)
{
    static const char suffix[] = ".localhost";
    size_t size = strlen(target->host);

    if (target->literal)
        return strncmp(target->host, "127.", 4) == 0 || strcmp(target->host, "::1") == 0 ||
               strcmp(target->host, "0.0.0.0") == 0 || strcmp(target->host, "::") == 0;
    return strcmp(target->host, suffix + 1) == 0 ||
           (size > strlen(suffix) && strcmp(target->host + size - strlen(suffix), suffix) == 0);
}

/* Said to be what it is, it may stay. */
static bool means_another_method(const struct head *head)
{
    for (size_t i = 0; i < head->n_fields; i++)
        if (field_overrides_method(head->fields[i].name) &&
            !slice_equal(head->fields[i].value, head->method))
            return true;
    return false;
}

void exchange_request(struct exchange *exchange, const struct head *head)
{
    begin(exchange);
    if (head_copy(head, &exchange->request) < 0) {
        refuse(exchange, REFUSAL_INTERNAL, 0, "out of memory");
        return;
    }
    if (normalise_path(exchange->request) < 0) {
        refuse(exchange, REFUSAL_MALFORMED, 0, "the path is not one (RFC 3986, 3.3)");
        return;
    }
    if (is_loopback(&exchange->request->target)) {
        refuse(exchange, REFUSAL_SELF, 0, "this is the proxy's own host");
        return;
    }
    if (means_another_method(exchange->request)) {
        refuse(exchange, REFUSAL_OVERRIDE, 0,
               "a field of the request asks for another method (X-HTTP-Method-Override); send that"
               " method");
        return;
    }
    if (!allowed(exchange))
        return;
    exchange->state = EXCHANGE_WAITING;
    exchange->starting = true;
    origin_get(exchange, false);
    exchange->starting = false;
}

/* --- from the client --- */

void exchange_request_body(struct exchange *exchange, const char *data, size_t size)
{
    if (exchange->state != EXCHANGE_OPEN)
        return;
    exchange->sent_bytes += size;
    exchange->origin.ops->body(exchange->origin.of, data, size);
}

void exchange_request_end(struct exchange *exchange, const struct field *trailers,
                          size_t n_trailers)
{
    exchange->request_ended = true;
    if (exchange->state != EXCHANGE_OPEN)
        return;
    exchange->origin.ops->end(exchange->origin.of, trailers, n_trailers);
    exchange->origin.ops->flush(exchange->origin.of);
}

bool exchange_wants_request(struct exchange *exchange)
{
    switch (exchange->state) {
    case EXCHANGE_NONE:
        return true;
    case EXCHANGE_WAITING:
        return false;
    case EXCHANGE_OPEN:
        exchange->request_paused =
            exchange->origin.ops->pending(exchange->origin.of) >= PENDING_MAX;
        return !exchange->request_paused;
    }
    return false;
}

void exchange_client_drained(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_OPEN && exchange->response_paused &&
        exchange_wants_response(exchange))
        exchange->origin.ops->resume(exchange->origin.of);
}

void exchange_client_gone(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_NONE)
        return;
    /* The end of a relay is the end of a connection, whoever's it is. */
    if (!exchange->relays)
        exchange->refusal = REFUSAL_GONE;
    leave_origin(exchange);
    finish(exchange, NULL);
}

void exchange_request_broken(struct exchange *exchange, unsigned status, const char *detail)
{
    if (exchange->state == EXCHANGE_NONE)
        return;
    if (!exchange->response_begun) {
        refuse(exchange, REFUSAL_MALFORMED, status, detail);
        return;
    }
    exchange->refusal = REFUSAL_MALFORMED;
    leave_origin(exchange);
    finish(exchange, detail);
    exchange->client.ops->abort(exchange->client.of);
}

void exchange_timed_out(struct exchange *exchange)
{
    if (!exchange->response_begun) {
        refuse(exchange, REFUSAL_ORIGIN_SLOW, 0, "the origin did not answer in time");
        return;
    }
    exchange->refusal = REFUSAL_ORIGIN_SLOW;
    leave_origin(exchange);
    finish(exchange, "nothing moved for too long");
    exchange->client.ops->abort(exchange->client.of);
}

/* --- from the origin --- */

void exchange_origin_ready(struct exchange *exchange, struct wire origin, bool reused)
{
    exchange->waits_for = NULL;
    exchange->origin = origin;
    exchange->reused = reused;
    exchange->origin_spoke = false;
    exchange->state = EXCHANGE_OPEN;
    origin.ops->head(origin.of, exchange->request);
    if (exchange->request_ended)
        origin.ops->end(origin.of, NULL, 0);
    /* Otherwise the client's side is about to do both. */
    if (!exchange->starting) {
        origin.ops->flush(origin.of);
        if (!exchange->request_ended)
            exchange->client.ops->resume(exchange->client.of);
    }
}

void exchange_origin_drained(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_OPEN && exchange->request_paused &&
        exchange_wants_request(exchange))
        exchange->client.ops->resume(exchange->client.of);
}

bool exchange_wants_response(struct exchange *exchange)
{
    exchange->response_paused = exchange->client.ops->pending(exchange->client.of) >= PENDING_MAX;
    return !exchange->response_paused;
}

void exchange_flush_client(struct exchange *exchange)
{
    exchange->client.ops->flush(exchange->client.of);
}

static bool passes_interim(const struct exchange *exchange, unsigned status)
{
    /* RFC 9110, 15.2: what a client did not ask for it may not understand. */
    return status != 100 || exchange->request->expects_continue;
}

void exchange_response(struct exchange *exchange, const struct head *head)
{
    const struct wire *client = &exchange->client;

    if (head->status == 101 && (exchange->request->upgrade != UPGRADE_WEBSOCKET ||
                                head->upgrade != UPGRADE_WEBSOCKET || !exchange->request_ended)) {
        refuse(exchange, REFUSAL_ORIGIN_HTTP, 0,
               "the origin changed to a protocol that nobody asked for");
        return;
    }
    if (head->status < 200 && head->status != 101) {
        if (passes_interim(exchange, head->status)) {
            client->ops->head(client->of, head);
            client->ops->flush(client->of);
        }
        return;
    }
    exchange->relays = head->status == 101;
    exchange->response_begun = true;
    exchange->status = head->status;
    client->ops->head(client->of, head);
}

void exchange_response_body(struct exchange *exchange, const char *data, size_t size)
{
    exchange->received_bytes += size;
    exchange->client.ops->body(exchange->client.of, data, size);
}

void exchange_response_end(struct exchange *exchange, const struct field *trailers,
                           size_t n_trailers)
{
    exchange->origin = (struct wire){ 0 };
    exchange->client.ops->end(exchange->client.of, trailers, n_trailers);
    /* Nobody waits for the log. */
    exchange->client.ops->flush(exchange->client.of);
    finish(exchange, NULL);
}

/* RFC 9110, 9.2.2 would allow more; but what has a body is gone, and a write may have been done. A
 * connection that was idle may be closed at any moment, so a request on it may meet a closed one.
 */
static bool may_retry(const struct exchange *exchange, enum refusal refusal)
{
    return refusal == REFUSAL_ORIGIN_CLOSED && exchange->reused && !exchange->retried &&
           !exchange->origin_spoke && !exchange->response_begun &&
           exchange->request->body == BODY_NONE && exchange->request_ended;
}

void exchange_origin_failed(struct exchange *exchange, enum refusal refusal, const char *detail)
{
    exchange->waits_for = NULL;
    exchange->origin = (struct wire){ 0 };
    if (may_retry(exchange, refusal)) {
        exchange->retried = true;
        exchange->state = EXCHANGE_WAITING;
        origin_get(exchange, true);
        return;
    }
    if (!exchange->response_begun) {
        refuse(exchange, refusal, 0, detail);
        return;
    }
    if (!exchange->relays)
        exchange->refusal = refusal;
    finish(exchange, detail);
    exchange->client.ops->abort(exchange->client.of);
}
