/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/stream-bio.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "proxy/stream.h"

/* What is read at a time while TLS is being set up: more than the flights of most. */
#define FLIGHT_SIZE 4096

ssize_t stream_raw_read(struct stream *stream, char *data, size_t size)
{
    size_t held = buffer_size(&stream->in);

    if (held > 0) {
        if (size > held)
            size = held;
        memcpy(data, buffer_head(&stream->in), size);
        buffer_consume(&stream->in, size);
        return (ssize_t)size;
    }
    if (!stream->readable && !stream->hung_up)
        return -EAGAIN;

    ssize_t n = recv(stream->fd, data, size, 0);
    if (n < 0) {
        if (errno == EAGAIN)
            stream->readable = false;
        return -errno;
    }
    /* epoll(7), Q9: less than was asked for means that the rest raises an event of its own. */
    if ((size_t)n < size)
        stream->readable = false;
    return n;
}

ssize_t stream_raw_fill(struct stream *stream)
{
    char data[FLIGHT_SIZE];

    if (buffer_size(&stream->in) > 0)
        return (ssize_t)buffer_size(&stream->in);
    ssize_t n = stream_raw_read(stream, data, sizeof(data));
    if (n <= 0)
        return n;
    int r = buffer_append(&stream->in, data, (size_t)n);
    return r < 0 ? r : n;
}

ssize_t stream_raw_write(struct stream *stream, const char *data, size_t size)
{
    ssize_t n = send(stream->fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN)
        stream->writable = false;
    return n < 0 ? -errno : n;
}

static int bio_read(BIO *bio, char *data, int size)
{
    struct stream *stream = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    /* Reading ahead is for records that carry data: of others OpenSSL asks for the head, and then
     * for the rest. */
    ssize_t n = SSL_in_init(stream->ssl) && size < FLIGHT_SIZE ? stream_raw_fill(stream) : 1;
    if (n > 0)
        n = stream_raw_read(stream, data, (size_t)size);
    if (n == -EAGAIN)
        BIO_set_retry_read(bio);
    if (n == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (n < 0)
        errno = (int)-n;
    return n < 0 ? -1 : (int)n;
}

static int bio_write(BIO *bio, const char *data, int size)
{
    struct stream *stream = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    /* To a peer that is gone OpenSSL says that it should have said so. */
    if (BIO_test_flags(bio, BIO_FLAGS_IN_EOF))
        return size;
    ssize_t n = stream_raw_write(stream, data, (size_t)size);
    if (n == -EAGAIN)
        BIO_set_retry_write(bio);
    if (n < 0)
        errno = (int)-n;
    return n < 0 ? -1 : (int)n;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_EOF:
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    default:
        return 0;
    }
}

BIO *stream_bio_new(struct stream *stream)
{
    static BIO_METHOD *method;

    if (!method) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream");
        if (!method)
            return NULL;
        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_write(method, bio_write);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }
    BIO *bio = BIO_new(method);
    if (!bio)
        return NULL;
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    return bio;
}
