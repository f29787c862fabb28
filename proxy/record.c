/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/record.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proxy/log.h"
#include "proxy/proxy.h"

#define METHOD_SIZE 32

static const char *reason_of(const struct exchange *exchange)
{
    if (exchange->refusal == REFUSAL_NONE)
        return NULL;
    if (exchange->refusal == REFUSAL_POLICY)
        return policy_reason_token(exchange->verdict.reason);
    return refusals[exchange->refusal].token;
}

static void take_request(const struct head *request, char method[static METHOD_SIZE],
                         struct log_record *record)
{
    const char *query = memchr(request->path.data, '?', request->path.size);

    snprintf(method, METHOD_SIZE, "%.*s", (int)request->method.size, request->method.data);
    record->method = method;
    record->host = request->target.host;
    record->port = request->target.port;
    record->path = request->path.data;
    record->path_size = query ? (size_t)(query - request->path.data) : request->path.size;
}

void record_exchange(const struct exchange *exchange, const char *detail)
{
    char method[METHOD_SIZE];
    uint64_t now;

    sd_event_now(exchange->proxy->event, CLOCK_MONOTONIC, &now);
    struct log_record record = {
        .begin_usec = exchange->begin_usec,
        .allowed = exchange->verdict.allowed,
        .rule = exchange->verdict.rule[0] ? exchange->verdict.rule : NULL,
        .reason = reason_of(exchange),
        .detail = detail,
        .status = exchange->status,
        .sent = exchange->sent_bytes,
        .received = exchange->received_bytes,
        .usec = now - exchange->started_usec,
    };
    if (exchange->request)
        take_request(exchange->request, method, &record);
    log_write(exchange->proxy->log, &record);
}

void record_tunnel(struct proxy *proxy, const struct identity *target, enum refusal refusal,
                   const char *detail)
{
    struct log_record record = {
        .method = "CONNECT",
        .host = target->host,
        .port = target->port,
        .reason = refusals[refusal].token,
        .detail = detail,
    };

    sd_event_now(proxy->event, CLOCK_REALTIME, &record.begin_usec);
    log_write(proxy->log, &record);
}
