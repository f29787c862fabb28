/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/stream.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy/stream-bio.h"

/* From this size on, copying costs more than an extra call. */
#define DIRECT_SIZE 4096

static int on_io(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct stream *stream = userdata;

    (void)source;
    (void)fd;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        stream->readable = true;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        stream->hung_up = true;
    if (events & (EPOLLHUP | EPOLLERR))
        stream->broken = true;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) {
        stream->writable = true;
        if (stream->read_wants_room)
            stream->readable = true;
        stream->read_wants_room = false;
    }
    stream->ready(stream);
    return 0;
}

int stream_open(struct stream *stream, sd_event *event, int fd,
                void (*ready)(struct stream *stream))
{
    *stream = (struct stream){ .fd = fd, .ready = ready };
    int r = sd_event_add_io(event, &stream->source, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                            on_io, stream);
    if (r < 0) {
        close(fd);
        stream->fd = -1;
    }
    return r;
}

void stream_close(struct stream *stream)
{
    if (stream->fd < 0)
        return;
    stream->source = sd_event_source_disable_unref(stream->source);
    SSL_free(stream->ssl);
    stream->ssl = NULL;
    close(stream->fd);
    stream->fd = -1;
    buffer_free(&stream->out);
    buffer_free(&stream->in);
}

int stream_start_tls(struct stream *stream, SSL *ssl)
{
    stream->ssl = ssl;
    BIO *bio = stream_bio_new(stream);
    if (!bio)
        return -ENOMEM;
    SSL_set_bio(ssl, bio, bio);
    return 0;
}

const char *stream_tls_problem(void)
{
    unsigned long error = ERR_peek_last_error();
    const char *reason = error ? ERR_reason_error_string(error) : NULL;

    ERR_clear_error();
    return reason ? reason : "the connection was closed";
}

/* Where a TLS call that did not succeed leaves the stream. */
static int take_tls_error(struct stream *stream, int result, bool reading)
{
    switch (SSL_get_error(stream->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        stream->readable = false;
        return -EAGAIN;
    case SSL_ERROR_WANT_WRITE:
        stream->writable = false;
        stream->read_wants_room = reading;
        return -EAGAIN;
    case SSL_ERROR_WANT_X509_LOOKUP:
        return -EAGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    case SSL_ERROR_SYSCALL:
        return errno > 0 ? -errno : -ECONNRESET;
    default:
        if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
            return -ENODATA;
        return -EPROTO;
    }
}

int stream_handshake(struct stream *stream)
{
    ERR_clear_error();
    int result = SSL_do_handshake(stream->ssl);
    if (result == 1)
        return 0;
    int r = take_tls_error(stream, result, true);
    return r == 0 ? -ENODATA : r;
}

void stream_offer_resumption(struct stream *stream)
{
    ERR_clear_error();
    /* Not to a client of TLS 1.2, which has its ticket from the handshake. */
    (void)SSL_new_session_ticket(stream->ssl);
}

bool stream_may_read(const struct stream *stream)
{
    if (stream->fd < 0 || stream->saw_end)
        return false;
    if (stream->readable || stream->hung_up || stream->ended || buffer_size(&stream->in) > 0)
        return true;
    return stream->ssl && SSL_has_pending(stream->ssl) && !stream->read_wants_room;
}

static ssize_t read_plain(struct stream *stream, char *data, size_t size)
{
    ssize_t n = stream_raw_read(stream, data, size);
    if (n < 0)
        return n;
    stream->saw_end = n == 0;
    return n;
}

ssize_t stream_read(struct stream *stream, char *data, size_t size)
{
    size_t used = 0, n;

    if (!stream->ssl)
        return read_plain(stream, data, size);
    if (stream->ended) {
        stream->saw_end = true;
        return stream->end;
    }

    ERR_clear_error();
    /* OpenSSL gives out no more than a record, but has read more. */
    do {
        int result = SSL_read_ex(stream->ssl, data + used, size - used, &n);
        if (result != 1) {
            int r = take_tls_error(stream, result, true);
            if (used == 0) {
                stream->saw_end = r != -EAGAIN;
                return r;
            }
            stream->ended = r != -EAGAIN;
            stream->end = r;
            break;
        }
        used += n;
    } while (used < size && SSL_has_pending(stream->ssl));
    return (ssize_t)used;
}

int stream_peek(struct stream *stream)
{
    ssize_t n = stream_raw_fill(stream);

    if (n <= 0)
        return n == 0 ? -ENODATA : (int)n;
    return (unsigned char)*buffer_head(&stream->in);
}

/* Returns what was taken, or -EAGAIN. */
static ssize_t send_some(struct stream *stream, const char *data, size_t size)
{
    size_t n;

    if (!stream->ssl)
        return stream_raw_write(stream, data, size);

    ERR_clear_error();
    int result = SSL_write_ex(stream->ssl, data, size, &n);
    if (result == 1)
        return (ssize_t)n;
    int r = take_tls_error(stream, result, false);
    return r == 0 ? -EPIPE : r;
}

int stream_write(struct stream *stream, const void *data, size_t size)
{
    const char *at = data;

    if (stream->fd < 0)
        return -EPIPE;
    /* After a partial write, OpenSSL wants the same bytes again: they are the first in out. */
    while (size >= DIRECT_SIZE && stream->writable && stream_pending(stream) == 0) {
        ssize_t n = send_some(stream, at, size);
        if (n == -EAGAIN)
            break;
        if (n < 0)
            return (int)n;
        at += n;
        size -= (size_t)n;
    }
    return buffer_append(&stream->out, at, size);
}

int stream_flush(struct stream *stream)
{
    if (stream->fd < 0)
        return -EPIPE;
    while (stream_pending(stream) > 0) {
        if (!stream->writable)
            return -EAGAIN;
        ssize_t n = send_some(stream, buffer_head(&stream->out), stream_pending(stream));
        if (n < 0)
            return (int)n;
        buffer_consume(&stream->out, (size_t)n);
    }
    return 0;
}

void stream_end(struct stream *stream)
{
    if (stream->fd < 0)
        return;
    if (stream->ssl && SSL_is_init_finished(stream->ssl)) {
        ERR_clear_error();
        /* A close_notify that does not fit into the socket is for nobody. */
        SSL_shutdown(stream->ssl);
    }
    shutdown(stream->fd, SHUT_WR);
}
