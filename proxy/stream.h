/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A connection as a stream of bytes, plain or in TLS, that never blocks.
 *
 * Promises: whoever owns it is called when something may have become possible, and then reads and
 * writes until there is no more; the descriptor is watched edge-triggered, so that backpressure is
 * a matter of not reading and costs no system call. What does not fit into the socket is kept; the
 * owner looks at stream_pending() and stops filling it. Closing is immediate, the memory is the
 * owner's. All functions return a negative errno on failure. */

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "proxy/buffer.h"

struct stream {
    int fd; /* -1: closed */
    SSL *ssl;
    sd_event_source *source;
    void (*ready)(struct stream *stream);

    bool readable; /* as far as is known */
    bool writable;
    bool hung_up;         /* the peer has sent its last, which may still have to be read */
    bool broken;          /* reset, or closed in both directions */
    bool read_wants_room; /* SSL_read() has to write first */
    bool saw_end;
    bool ended; /* by what is in end, which is told when what came before is read */
    int end;
    struct buffer out; /* accepted, not sent */
    struct buffer in;  /* received before TLS began, read first */
};

/* Takes fd, which is connected or connecting and does not block. */
int stream_open(struct stream *stream, sd_event *event, int fd,
                void (*ready)(struct stream *stream));
void stream_close(struct stream *stream);

static inline bool stream_is_open(const struct stream *stream)
{
    return stream->fd >= 0;
}

/* Puts TLS on it; SSL objects come set to connect or accept. Takes ssl. */
int stream_start_tls(struct stream *stream, SSL *ssl);

/* 0: done; -EAGAIN: the owner is called again; -EPROTO: failed, see stream_tls_problem(). A
 * handshake that waits for a certificate goes on when the owner calls this again. */
int stream_handshake(struct stream *stream);

/* To a client that speaks TLS 1.3: goes out before what is written next. */
void stream_offer_resumption(struct stream *stream);

/* What OpenSSL last said, and takes it off its queue. Constant, or valid until the next call. */
const char *stream_tls_problem(void);

/* Whether stream_read() can have something. */
bool stream_may_read(const struct stream *stream);

/* Bytes read; 0: the peer closed in order; -EAGAIN; -ENODATA: TLS was cut off, not closed; or what
 * else went wrong. */
ssize_t stream_read(struct stream *stream, char *data, size_t size);

/* The first byte that would be read, or -EAGAIN, -ENODATA at the end. Not with TLS. */
int stream_peek(struct stream *stream);

/* Takes all of it, unless the connection failed. Large pieces are sent at once, small ones wait for
 * stream_flush(). */
int stream_write(struct stream *stream, const void *data, size_t size);

/* Sends what waits. 0: nothing waits any more; -EAGAIN: the owner is called when there is room. */
int stream_flush(struct stream *stream);

static inline size_t stream_pending(const struct stream *stream)
{
    return buffer_size(&stream->out);
}

/* Says that nothing more follows: close_notify, then FIN. For when nothing is pending. */
void stream_end(struct stream *stream);
