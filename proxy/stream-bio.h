/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between OpenSSL and the socket: a BIO that first gives out what was received before TLS began,
 * raises no SIGPIPE, and notes when the socket is drained or full. For stream.c. */

#include <openssl/bio.h>
#include <sys/types.h>

struct stream;

/* NULL: out of memory. The stream stays where it is for as long as the BIO lives. */
BIO *stream_bio_new(struct stream *stream);

/* Without TLS, and below it. Bytes, 0 at the end (reading), or a negative errno. */
ssize_t stream_raw_read(struct stream *stream, char *data, size_t size);
/* Has something in stream->in: returns how much. */
ssize_t stream_raw_fill(struct stream *stream);
ssize_t stream_raw_write(struct stream *stream, const char *data, size_t size);
