/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/origin.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/origin-state.h"
#include "proxy/tls.h"

static void pump(struct origin *origin);

static void bury(struct later *later)
{
    struct origin *origin = (struct origin *)((char *)later - offsetof(struct origin, burial));

    if (origin->again.queued) {
        later_queue(&origin->proxy->later, &origin->burial);
        return;
    }
    free(origin);
}

void origin_close(struct origin *origin)
{
    if (origin->phase == ORIGIN_CLOSED)
        return;
    if (origin->phase == ORIGIN_IDLE)
        pool_drop(origin->proxy->pool, origin);
    if (origin->dial)
        dial_cancel(origin->dial);
    origin->dial = NULL;
    timer_disarm(&origin->timer);
    stream_close(&origin->stream);
    h1_done(&origin->decoder);
    origin->phase = ORIGIN_CLOSED;
    origin->exchange = NULL;
    origin->place->n_origins--;
    later_queue(&origin->proxy->later, &origin->burial);
}

/* --- its end of the exchange --- */

static void fail(struct origin *origin, enum refusal refusal, const char *detail)
{
    struct exchange *exchange = origin->exchange;

    origin_close(origin);
    if (exchange)
        exchange_origin_failed(exchange, refusal, detail);
}

static void pump_later(struct origin *origin)
{
    later_queue(&origin->proxy->later, &origin->again);
}

static void note_write(struct origin *origin, int r)
{
    if (r < 0 && r != -EAGAIN && !origin->write_failed) {
        origin->write_failed = true;
        pump_later(origin);
    }
}

static void wire_head(void *wire, const struct head *head)
{
    struct origin *origin = wire;

    origin->decoder.head_only = head->head_only;
    note_write(origin, h1_encode_request(&origin->encoder, &origin->stream.out, head));
}

static void wire_body(void *wire, const char *data, size_t size)
{
    struct origin *origin = wire;
    char prefix[H1_CHUNK_PREFIX_SIZE];

    if (origin->write_failed)
        return;
    size_t n = h1_chunk_prefix(&origin->encoder, size, prefix);
    int r = n > 0 ? stream_write(&origin->stream, prefix, n) : 0;
    if (r >= 0)
        r = stream_write(&origin->stream, data, size);
    if (r >= 0 && n > 0)
        r = stream_write(&origin->stream, "\r\n", 2);
    note_write(origin, r);
}

static void wire_end(void *wire, const struct field *trailers, size_t n_trailers)
{
    struct origin *origin = wire;

    if (!origin->write_failed)
        note_write(origin,
                   h1_encode_end(&origin->encoder, &origin->stream.out, trailers, n_trailers));
}

static void wire_flush(void *wire)
{
    struct origin *origin = wire;

    if (origin->write_failed || stream_pending(&origin->stream) == 0)
        return;
    note_write(origin, stream_flush(&origin->stream));
    if (origin->exchange)
        exchange_origin_drained(origin->exchange);
}

static size_t wire_pending(const void *wire)
{
    const struct origin *origin = wire;

    return origin->write_failed ? 0 : stream_pending(&origin->stream);
}

static void wire_resume(void *wire)
{
    pump_later(wire);
}

static void wire_abort(void *wire)
{
    origin_close(wire);
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

static int on_head(void *userdata, struct h1_head *head)
{
    struct origin *origin = userdata;

    if (!origin->exchange)
        return -ECANCELED;
    origin->keep_alive = head->keep_alive;
    exchange_response(origin->exchange, &head->head);
    return 0;
}

static int on_body(void *userdata, const char *data, size_t size)
{
    struct origin *origin = userdata;

    if (!origin->exchange)
        return -ECANCELED;
    exchange_response_body(origin->exchange, data, size);
    return 0;
}

static int on_end(void *userdata, const struct field *trailers, size_t n_trailers)
{
    struct origin *origin = userdata;
    struct exchange *exchange = origin->exchange;

    if (!exchange)
        return -ECANCELED;
    /* An interim response, or one that began a conversation of another kind. */
    if (!exchange->response_begun) {
        h1_next(&origin->decoder);
        return 0;
    }
    if (exchange->relays && origin->decoder.state != H1_RAW && !origin->stream.saw_end) {
        origin->decoder.state = H1_RAW;
        return 0;
    }
    origin->exchange = NULL;
    bool reusable = origin->keep_alive && exchange->request_ended && !exchange->relays &&
                    !origin->write_failed && stream_pending(&origin->stream) == 0;
    /* First, as the trailers are the decoder's. */
    exchange_response_end(exchange, trailers, n_trailers);
    if (reusable) {
        h1_next(&origin->decoder);
        origin->reused = true;
        pool_put(origin->proxy->pool, origin);
    } else
        origin_close(origin);
    return 0;
}

static const struct h1_events events = { on_head, on_body, on_end };

/* --- its connection --- */

static void closed(struct origin *origin, int error)
{
    char detail[160];

    if (!origin->exchange->origin_spoke) {
        fail(origin, REFUSAL_ORIGIN_CLOSED,
             origin->reused ? "the origin closed the connection"
                            : "the origin closed the connection without an answer");
        return;
    }
    snprintf(detail, sizeof(detail), "the origin closed the connection within its answer%s%s",
             error ? ": " : "", error ? strerror(error) : "");
    fail(origin, REFUSAL_ORIGIN_CLOSED, detail);
}

/* Returns false when there is nothing more to be done now. */
static bool read_some(struct origin *origin)
{
    char *data = origin->proxy->origin_scratch;
    size_t size = 0, used;

    /* As many records as are there: each read is passed on at once, but not each record. */
    ssize_t n = stream_read(&origin->stream, data, SCRATCH_SIZE);
    if (n == -EAGAIN)
        return false;
    if (n <= 0) {
        /* What is framed by the end of the connection ends here; without close_notify it was cut.
         */
        if (n == 0 && h1_feed_end(&origin->decoder) == 0 && origin->phase == ORIGIN_CLOSED)
            return false;
        closed(origin, n < 0 && n != -ENODATA && n != -EPROTO ? (int)-n : 0);
        return false;
    }
    size = (size_t)n;
    origin->exchange->origin_spoke = true;
    for (size_t at = 0; at < size && origin->phase == ORIGIN_BUSY; at += used) {
        int r = h1_feed(&origin->decoder, data + at, size - at, &used);
        if (r == -ECANCELED)
            return false;
        if (r == -EBADMSG) {
            char detail[160];

            snprintf(detail, sizeof(detail), "the origin's answer is not HTTP/1.1: %s",
                     origin->decoder.problem);
            fail(origin, REFUSAL_ORIGIN_HTTP, detail);
            return false;
        }
        if (r < 0) {
            fail(origin, REFUSAL_INTERNAL, strerror(-r));
            return false;
        }
        /* A response that was not asked for follows: nobody shall take it for his. */
        if (origin->phase == ORIGIN_IDLE && at + used < size)
            origin_close(origin);
    }
    return origin->phase == ORIGIN_BUSY;
}

static void work(struct origin *origin)
{
    struct exchange *exchange = origin->exchange;

    wire_flush(origin);
    for (unsigned n = 0; stream_may_read(&origin->stream); n++) {
        if (!exchange_wants_response(exchange))
            break;
        if (n == READS_MAX) {
            pump_later(origin);
            break;
        }
        if (!read_some(origin))
            break;
    }
    /* The exchange is the client's, which is there when this is called, and flushes what it has. */
    exchange_flush_client(exchange);
}

static void shake(struct origin *origin)
{
    char detail[256];

    int r = stream_handshake(&origin->stream);
    if (r == -EAGAIN)
        return;
    if (r < 0) {
        if (tls_certificate_problem(origin->stream.ssl, detail, sizeof(detail))) {
            (void)stream_tls_problem();
            fail(origin, REFUSAL_CERTIFICATE, detail);
            return;
        }
        snprintf(detail, sizeof(detail), "TLS with the origin failed: %s",
                 r == -EPROTO || r == -ENODATA ? stream_tls_problem() : strerror(-r));
        fail(origin, REFUSAL_ORIGIN_TLS, detail);
        return;
    }
    origin->phase = ORIGIN_BUSY;
    timer_disarm(&origin->timer);
    exchange_origin_ready(origin->exchange, (struct wire){ &wire_ops, origin }, false);
    if (origin->phase == ORIGIN_BUSY)
        work(origin);
}

static void pump(struct origin *origin)
{
    switch (origin->phase) {
    case ORIGIN_HANDSHAKE:
        shake(origin);
        break;
    case ORIGIN_BUSY:
        work(origin);
        break;
    case ORIGIN_IDLE:
        /* The end, or something that nobody asked for; but TLS has its own messages, tickets above
         * all. */
        if (stream_may_read(&origin->stream) &&
            stream_read(&origin->stream, origin->proxy->origin_scratch, 1) != -EAGAIN)
            origin_close(origin);
        break;
    case ORIGIN_DIALLING:
    case ORIGIN_CLOSED:
        break;
    }
}

static void on_ready(struct stream *stream)
{
    pump((struct origin *)((char *)stream - offsetof(struct origin, stream)));
}

static void on_again(struct later *later)
{
    pump((struct origin *)((char *)later - offsetof(struct origin, again)));
}

static void on_timer(struct timer *timer)
{
    struct origin *origin = (struct origin *)((char *)timer - offsetof(struct origin, timer));

    if (origin->phase == ORIGIN_IDLE)
        origin_close(origin);
    else
        fail(origin, REFUSAL_ORIGIN_SLOW,
             origin->phase == ORIGIN_HANDSHAKE ? "the origin did not finish TLS in time"
                                               : "the origin could not be reached in time");
}

static int start_tls(struct origin *origin)
{
    SSL *ssl = tls_to_origin(origin->proxy->origin_tls, &origin->place->identity);

    if (!ssl)
        return -ENOMEM;
    SSL_set_app_data(ssl, origin->place);
    if (origin->place->session)
        SSL_set_session(ssl, origin->place->session);
    return stream_start_tls(&origin->stream, ssl);
}

static void on_dialled(void *userdata, enum dial_result result, int fd, const char *detail)
{
    static const enum refusal results[] = {
        [DIAL_UNRESOLVED] = REFUSAL_UNRESOLVED,
        [DIAL_REFUSED] = REFUSAL_ADDRESS,
        [DIAL_FAILED] = REFUSAL_UNREACHABLE,
        [DIAL_TIMED_OUT] = REFUSAL_ORIGIN_SLOW,
    };
    struct origin *origin = userdata;

    origin->dial = NULL;
    if (result != DIAL_CONNECTED) {
        fail(origin, results[result], detail);
        return;
    }
    int r = stream_open(&origin->stream, origin->proxy->event, fd, on_ready);
    if (r >= 0) {
        origin->stream.writable = true;
        origin->phase = ORIGIN_BUSY;
        if (origin->place->scheme == SCHEME_HTTPS) {
            origin->phase = ORIGIN_HANDSHAKE;
            r = start_tls(origin);
        }
    }
    if (r < 0) {
        fail(origin, REFUSAL_INTERNAL, strerror(-r));
        return;
    }
    if (origin->phase == ORIGIN_HANDSHAKE) {
        shake(origin);
        return;
    }
    timer_disarm(&origin->timer);
    exchange_origin_ready(origin->exchange, (struct wire){ &wire_ops, origin }, false);
}

static void dial(struct exchange *exchange, struct place *place)
{
    struct proxy *proxy = exchange->proxy;
    struct origin *origin = calloc(1, sizeof(*origin));

    if (!origin) {
        exchange_origin_failed(exchange, REFUSAL_INTERNAL, strerror(ENOMEM));
        return;
    }
    origin->proxy = proxy;
    origin->place = place;
    origin->exchange = exchange;
    origin->stream.fd = -1;
    origin->timer.expired = on_timer;
    origin->again.call = on_again;
    origin->burial.call = bury;
    h1_init(&origin->decoder, H1_RESPONSE, &events, origin);
    place->n_origins++;
    exchange->waits_for = origin;
    timer_arm(&proxy->timers, &origin->timer, TIMER_DIAL);
    int r = dial_start(&proxy->dialler, &place->identity, on_dialled, origin, &origin->dial);
    if (r < 0)
        fail(origin, REFUSAL_INTERNAL, strerror(-r));
}

void origin_get(struct exchange *exchange, bool fresh)
{
    const struct head *request = exchange->request;
    struct pool *pool = exchange->proxy->pool;
    struct place *place = pool_place(pool, request->scheme, &request->target);

    if (!place) {
        exchange_origin_failed(exchange, REFUSAL_INTERNAL, strerror(ENOMEM));
        return;
    }
    struct origin *origin = fresh ? NULL : pool_take(pool, place);
    if (!origin) {
        dial(exchange, place);
        return;
    }
    origin->phase = ORIGIN_BUSY;
    origin->exchange = exchange;
    exchange_origin_ready(exchange, (struct wire){ &wire_ops, origin }, true);
}

void origin_forget(struct origin *origin)
{
    origin_close(origin);
}
