/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "proxy/policy.h"

static const char *const tokens[N_POLICY_REASONS] = {
    [POLICY_REASON_ALLOWED] = "allowed",
    [POLICY_REASON_HOST_FEED] = "feed",
    [POLICY_REASON_HOST_NOT_LISTED] = "host-not-allowed",
    [POLICY_REASON_METHOD] = "no-write-rule",
    [POLICY_REASON_BODY] = "body-on-read",
    [POLICY_REASON_UPGRADE] = "upgrade",
    [POLICY_REASON_MALFORMED] = "malformed",
};

const char *policy_reason_token(enum policy_reason reason)
{
    return (unsigned)reason < N_POLICY_REASONS ? tokens[reason] : tokens[POLICY_REASON_MALFORMED];
}

/* Appends text, or as much of it as there is room for, in printable ASCII. */
struct line {
    char *buffer;
    size_t size, used;
};

static void put_bytes(struct line *line, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && line->used + 1 < line->size; i++)
        line->buffer[line->used++] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    line->buffer[line->used] = '\0';
}

static void put(struct line *line, const char *text)
{
    put_bytes(line, text, strlen(text));
}

/* "NAME" or "NAME:PORT", as a rule names it. */
static void put_host(struct line *line, const struct policy_request *request)
{
    char port[8];

    const bool v6 = strchr(request->host, ':');

    put(line, v6 ? "[" : "");
    put(line, request->host);
    put(line, v6 ? "]" : "");
    if (request->port == 80 || request->port == 443)
        return;
    (void)snprintf(port, sizeof port, ":%u", request->port);
    put(line, port);
}

static void put_path(struct line *line, const struct policy_request *request)
{
    /* More is of no use on one line. */
    static const size_t most = 256;

    put_bytes(line, request->path, request->path_size < most ? request->path_size : most);
    if (request->path_size > most)
        put(line, "...");
}

static bool is_address(const char *host)
{
    unsigned char bytes[16];

    return strchr(host, ':') || inet_pton(AF_INET, host, bytes) == 1;
}

static void put_needed(struct line *line, const struct policy_request *request)
{
    if (is_address(request->host)) {
        put(line, "; rules name hosts, and this is an address");
        return;
    }
    put(line, "; needed: write \"NAME\" { hosts = { \"");
    put_host(line, request);
    if (request->upgrade == POLICY_UPGRADE_NONE) {
        put(line, "\" } methods = { \"");
        put(line, request->method);
    }
    put(line, "\" } paths = { \"");
    put_path(line, request);
    put(line,
        request->upgrade == POLICY_UPGRADE_NONE ? "\" } }" : "\" } upgrade = \"websocket\" }");
}

void policy_explain(const struct policy_request *request, const struct policy_verdict *verdict,
                    char *buffer, size_t size)
{
    struct line line = { .buffer = buffer, .size = size };

    if (size == 0)
        return;
    *buffer = '\0';
    if (verdict->reason == POLICY_REASON_MALFORMED) {
        put(&line, "what this asks for cannot be told");
        return;
    }
    put(&line, request->method);
    put(&line, " ");
    put_host(&line, request);
    put_path(&line, request);
    switch (verdict->reason) {
    case POLICY_REASON_ALLOWED:
        if (strcmp(verdict->rule, "read") == 0) {
            put(&line, " is a read");
            return;
        }
        put(&line, " is allowed by write \"");
        put(&line, verdict->rule);
        put(&line, "\"");
        return;
    case POLICY_REASON_HOST_FEED:
        put(&line, ": the host is on the threat feed, and no rule allows it");
        return;
    case POLICY_REASON_HOST_NOT_LISTED:
        put(&line, ": the host is not in the sandbox's list; needed: egress { allow += { \"");
        put(&line, request->host);
        put(&line, "\" } }");
        return;
    case POLICY_REASON_BODY:
        put(&line, " has a body, so it is not a read");
        break;
    case POLICY_REASON_UPGRADE:
        if (request->upgrade != POLICY_UPGRADE_WEBSOCKET) {
            put(&line, " would leave HTTP for something that is not judged, and no rule allows it");
            return;
        }
        put(&line, " would become a WebSocket, so it is not a read");
        break;
    default:
        put(&line, " is not a read");
    }
    put_needed(&line, request);
}
