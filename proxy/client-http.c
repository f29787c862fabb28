/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <string.h>

#include "proxy/client-state.h"

/* Of a request that was answered before it was whole, so much is read to keep the connection. */
#define DRAIN_MAX (64 * 1024)

static void note_write(struct client *client, int r)
{
    /* Whoever cannot be written to is gone; the event loop will say so, but need not. */
    if (r < 0 && r != -EAGAIN) {
        client->stream.broken = true;
        client_pump_later(client);
    }
}

static void arm(struct client *client, enum timer_kind kind)
{
    timer_arm(&client->proxy->timers, &client->timer, kind);
}

/* --- responses --- */

/* What has not come yet of the request is in the way of the next one. */
static bool can_go_on(const struct client *client)
{
    const struct head *request = client->exchange.request;

    if (client->decoder.state == H1_ENDED || (request && request->body == BODY_NONE))
        return true;
    return request && request->body == BODY_SIZED && request->length <= DRAIN_MAX &&
           !request->expects_continue;
}

static void wire_head(void *wire, const struct head *head)
{
    struct client *client = wire;

    if (client->phase == CLIENT_CLOSED)
        return;
    if (head->status < 200 && head->status != 101 && client->http10)
        return;
    if (head->status >= 200 && !can_go_on(client))
        client->close = true;
    note_write(client, h1_encode_response(&client->encoder, &client->stream.out, head,
                                          client->http10, client->close));
    if (head->status == 101)
        client->decoder.state = H1_RAW;
}

static void wire_body(void *wire, const char *data, size_t size)
{
    struct client *client = wire;
    char prefix[H1_CHUNK_PREFIX_SIZE];

    if (client->phase == CLIENT_CLOSED)
        return;
    size_t n = h1_chunk_prefix(&client->encoder, size, prefix);
    int r = n > 0 ? stream_write(&client->stream, prefix, n) : 0;
    if (r >= 0)
        r = stream_write(&client->stream, data, size);
    if (r >= 0 && n > 0)
        r = stream_write(&client->stream, "\r\n", 2);
    note_write(client, r);
    /* A large piece may be gone already, and nothing left for wire_flush() to notice. */
    if (stream_pending(&client->stream) < PENDING_MAX)
        arm(client, TIMER_STALL);
}

/* Ready for the next request, once this one was read. */
static void next(struct client *client)
{
    h1_next(&client->decoder);
    arm(client, TIMER_IDLE);
}

static void wire_end(void *wire, const struct field *trailers, size_t n_trailers)
{
    struct client *client = wire;

    if (client->phase == CLIENT_CLOSED)
        return;
    note_write(client, h1_encode_end(&client->encoder, &client->stream.out, trailers, n_trailers));
    if (client->decoder.state == H1_RAW)
        client->close = true;
    client->responding = false;
    if (!client->close && client->decoder.state == H1_ENDED)
        next(client);
    if (client->close || buffer_size(&client->rest) > 0 || stream_may_read(&client->stream))
        client_pump_later(client);
}

static void wire_flush(void *wire)
{
    struct client *client = wire;

    if (client->phase == CLIENT_CLOSED || stream_pending(&client->stream) == 0)
        return;
    size_t before = stream_pending(&client->stream);

    note_write(client, stream_flush(&client->stream));
    if (client->responding && stream_pending(&client->stream) < before)
        arm(client, TIMER_STALL);
    exchange_client_drained(&client->exchange);
}

static size_t wire_pending(const void *wire)
{
    const struct client *client = wire;

    return stream_pending(&client->stream);
}

static void wire_resume(void *wire)
{
    client_pump_later(wire);
}

/* What has come so far is the client's; then it must see that this is not all, so TLS ends without
 * close_notify, and a body before its length or last chunk. */
static void wire_abort(void *wire)
{
    struct client *client = wire;

    client->cut = client->deaf = true;
    client->responding = false;
    client_pump_later(client);
}

static const struct wire_ops wire_ops = {
    .head = wire_head,
    .body = wire_body,
    .end = wire_end,
    .flush = wire_flush,
    .pending = wire_pending,
    .resume = wire_resume,
    .abort = wire_abort,
};

/* --- requests --- */

static void refuse(struct client *client, const struct head *head, enum refusal refusal,
                   const char *detail)
{
    exchange_refuse(&client->exchange, head, refusal, 0, detail);
}

/* One identity: what CONNECT, the handshake and the request name. Returns false when it has
 * answered. */
static bool fits_tunnel(struct client *client, struct h1_head *h1)
{
    struct head *head = &h1->head;
    enum scheme scheme = client->stream.ssl ? SCHEME_HTTPS : SCHEME_HTTP;
    struct identity named = head->target;

    if (named.port == 0)
        named.port = scheme_port(h1->form == H1_ABSOLUTE ? head->scheme : scheme);
    bool same =
        !h1->has_host || (host_equal(&named, &client->tunnel) && named.port == client->tunnel.port);
    if (h1->form == H1_ABSOLUTE && head->scheme != scheme)
        same = false;

    head->scheme = scheme;
    head->target = client->tunnel;
    if (!same) {
        refuse(client, head, REFUSAL_IDENTITY,
               "the request names another host or port than the tunnel that it came through");
        return false;
    }
    if (client->misnamed) {
        refuse(client, head, REFUSAL_IDENTITY,
               "the server name of the TLS handshake is not the host of the tunnel");
        return false;
    }
    return true;
}

/* Returns false when it has answered, or leaves it to client_tunnel_begin(). */
static bool fits_proxy(struct client *client, struct h1_head *h1)
{
    struct head *head = &h1->head;

    switch (h1->form) {
    case H1_AUTHORITY:
        if (head->body != BODY_NONE) {
            refuse(client, head, REFUSAL_MALFORMED, "CONNECT with a body");
            return false;
        }
        client->tunnel = head->target;
        client->connects = true;
        return false;
    case H1_ABSOLUTE:
        if (head->target.port == 0)
            head->target.port = scheme_port(head->scheme);
        return true;
    case H1_ORIGIN:
    case H1_ASTERISK:
        break;
    }
    refuse(client, head, REFUSAL_NO_PROXY,
           "this is a proxy for HTTP, and was asked for a page of its own");
    return false;
}

static int on_head(void *userdata, struct h1_head *head)
{
    struct client *client = userdata;

    client->http10 = head->http10;
    client->close = !head->keep_alive;
    client->responding = true;
    arm(client, TIMER_STALL);
    /* Who asks again may also come again. */
    if (client->stream.ssl && client->n_requests < 2 && ++client->n_requests == 2)
        stream_offer_resumption(&client->stream);
    if (client->in_tunnel && head->form == H1_AUTHORITY) {
        client->close = true;
        refuse(client, &head->head, REFUSAL_NO_PROXY, "CONNECT within a tunnel");
        return 0;
    }
    if (client->in_tunnel ? fits_tunnel(client, head) : fits_proxy(client, head))
        exchange_request(&client->exchange, &head->head);
    return 0;
}

static int on_body(void *userdata, const char *data, size_t size)
{
    struct client *client = userdata;

    exchange_request_body(&client->exchange, data, size);
    return 0;
}

static int on_end(void *userdata, const struct field *trailers, size_t n_trailers)
{
    struct client *client = userdata;

    if (client->responding)
        exchange_request_end(&client->exchange, trailers, n_trailers);
    else if (!client->close)
        next(client);
    return 0;
}

static const struct h1_events events = { on_head, on_body, on_end };

void client_http_init(struct client *client)
{
    h1_init(&client->decoder, H1_REQUEST, &events, client);
    exchange_init(&client->exchange, client->proxy, (struct wire){ &wire_ops, client });
}

/* --- the work --- */

static bool wants_input(struct client *client)
{
    if (client->phase != CLIENT_HTTP || client->deaf)
        return false;
    switch (client->decoder.state) {
    case H1_HEAD:
        return !client->responding && !client->close;
    case H1_BODY:
        /* Of a request that is answered, as long as it can be followed by another. */
        return client->responding ? exchange_wants_request(&client->exchange) : !client->close;
    case H1_RAW:
        return client->responding && exchange_wants_request(&client->exchange);
    case H1_ENDED:
        return false;
    }
    return false;
}

static void malformed(struct client *client, unsigned status, const char *problem)
{
    client->deaf = client->close = true;
    if (client->exchange.state != EXCHANGE_NONE)
        exchange_request_broken(&client->exchange, status, problem);
    else if (client->responding || client->decoder.state == H1_HEAD) {
        client->responding = true;
        exchange_refuse(&client->exchange, NULL, REFUSAL_MALFORMED, status, problem);
    }
}

/* Returns what is left over, or a negative errno when the connection is of no use any more. */
static ssize_t feed(struct client *client, char *data, size_t size)
{
    bool was_fresh = h1_is_fresh(&client->decoder);
    size_t at = 0, used;

    while (at < size && wants_input(client)) {
        int r = h1_feed(&client->decoder, data + at, size - at, &used);
        at += used;
        if (r == -EBADMSG) {
            malformed(client, (unsigned)client->decoder.status, client->decoder.problem);
            return 0;
        }
        if (r < 0)
            return r;
        if (client->connects) {
            client->connects = false;
            client->responding = false;
            client_tunnel_begin(client);
        }
    }
    if (was_fresh && client->decoder.state == H1_HEAD && !h1_is_fresh(&client->decoder))
        arm(client, TIMER_HEAD);
    else if (client->responding)
        arm(client, TIMER_STALL);
    return (ssize_t)(size - at);
}

/* The client has sent its last. What it asked for is still answered: closing one direction is how
 * some say that a request is complete. */
static void on_end_of_input(struct client *client, int error)
{
    bool within = client->decoder.state == H1_BODY || !h1_is_fresh(&client->decoder);

    if (client->decoder.state == H1_RAW) {
        client_close(client);
        return;
    }
    if (client->decoder.state == H1_ENDED && error == 0) {
        client->close = true;
        return;
    }
    if (within && client->decoder.state == H1_HEAD && error == 0) {
        malformed(client, 400, "the connection ended within a message");
        return;
    }
    client_close(client);
}

/* Returns false when there is nothing more to be had now. */
static bool take_input(struct client *client)
{
    char *data = client->proxy->client_scratch;

    if (buffer_size(&client->rest) > 0) {
        struct buffer rest = client->rest;

        client->rest = (struct buffer){ 0 };
        size_t size = buffer_size(&rest);
        ssize_t left = feed(client, buffer_head(&rest), size);
        if (left > 0 && client->phase == CLIENT_HTTP) {
            rest.start = rest.end - (size_t)left;
            client->rest = rest;
            return wants_input(client);
        }
        if (left > 0 && client->phase == CLIENT_SNIFF)
            buffer_append(&client->stream.in, rest.data + rest.end - (size_t)left, (size_t)left);
        buffer_free(&rest);
        if (left < 0)
            client_close(client);
        return left == 0;
    }

    if (!stream_may_read(&client->stream))
        return false;
    ssize_t n = stream_read(&client->stream, data, SCRATCH_SIZE);
    if (n == -EAGAIN)
        return false;
    if (n <= 0) {
        on_end_of_input(client, (int)n);
        return false;
    }
    ssize_t left = feed(client, data, (size_t)n);
    if (left < 0) {
        client_close(client);
        return false;
    }
    if (left > 0) {
        struct buffer *keep = client->phase == CLIENT_SNIFF ? &client->stream.in : &client->rest;
        if (buffer_append(keep, data + n - left, (size_t)left) < 0)
            client_close(client);
    }
    return client->phase == CLIENT_HTTP;
}

static void flush(struct client *client)
{
    size_t before = stream_pending(&client->stream);

    if (before == 0)
        return;
    int r = stream_flush(&client->stream);
    if (r < 0 && r != -EAGAIN) {
        client_close(client);
        return;
    }
    if (stream_pending(&client->stream) < before && client->responding)
        arm(client, TIMER_STALL);
    exchange_client_drained(&client->exchange);
}

static void begin_linger(struct client *client)
{
    stream_end(&client->stream);
    client->phase = CLIENT_LINGER;
    arm(client, TIMER_LINGER);
    client_pump_later(client);
}

void client_http_work(struct client *client)
{
    if (client->stream.broken && client->responding) {
        client_close(client);
        return;
    }
    flush(client);
    for (unsigned n = 0; wants_input(client); n++) {
        if (n == READS_MAX) {
            client_pump_later(client);
            break;
        }
        if (!take_input(client))
            break;
    }
    if (client->phase == CLIENT_SNIFF)
        client_tunnel_sniff(client);
    if (client->phase != CLIENT_HTTP)
        return;
    if (client->exchange.state == EXCHANGE_OPEN)
        client->exchange.origin.ops->flush(client->exchange.origin.of);
    flush(client);
    if (client->phase != CLIENT_HTTP || client->responding || stream_pending(&client->stream) > 0)
        return;
    if (client->cut)
        client_close(client);
    else if (client->close)
        begin_linger(client);
}

void client_http_timed_out(struct client *client)
{
    if (client->responding) {
        client->close = true;
        exchange_timed_out(&client->exchange);
        /* An answer that waits for a client that does not read waits for nobody. */
        if (client->phase == CLIENT_HTTP && client->exchange.state == EXCHANGE_NONE)
            arm(client, TIMER_LINGER);
        return;
    }
    if (client->timer.kind == TIMER_HEAD) {
        client->responding = client->close = client->deaf = true;
        exchange_refuse(&client->exchange, NULL, REFUSAL_SILENT, 0,
                        "the head of the request did not come in time");
        if (client->phase == CLIENT_HTTP)
            arm(client, TIMER_LINGER);
        return;
    }
    client_close(client);
}
