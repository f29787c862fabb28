/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The codec of HTTP/1 (RFC 9112): bytes to heads, body pieces and trailers, and back. llhttp,
 * strict, takes the bytes apart; h1-strict.c refuses what it lets through and a request smuggler
 * would like; h1-head.c turns what is left into data.
 *
 * Promises: what a decoder passes on has one meaning, and an encoder writes it in one way, framed
 * anew. Body pieces point into the bytes that were fed; nothing is kept but a head that is not
 * whole yet, and trailers, both bounded. No input or output. */

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>

#include "proxy/buffer.h"
#include "proxy/message.h"

/* More than any client or origin needs; nginx takes 32 KiB, Node 16 KiB of a request. */
#define H1_HEAD_MAX (64 * 1024)
#define H1_FIELDS_MAX 200
#define H1_TRAILERS_MAX (8 * 1024)
#define H1_TRAILER_FIELDS_MAX 32

enum h1_kind {
    H1_REQUEST,
    H1_RESPONSE,
};

enum h1_form {
    H1_ORIGIN,
    H1_ABSOLUTE,
    H1_AUTHORITY, /* CONNECT */
    H1_ASTERISK,
};

/* A head, and what only this version of HTTP has to say. */
struct h1_head {
    struct head head;
    enum h1_form form;
    bool has_host;   /* head.target is from the target or the Host field; port 0 if it had none */
    bool http10;     /* the peer speaks HTTP/1.0 */
    bool keep_alive; /* the peer means to go on after this message */
};

/* What a decoder found. Heads and pieces are valid during the call; fields may be written to. A
 * negative return ends h1_feed() with it. */
struct h1_events {
    int (*head)(void *userdata, struct h1_head *head);
    int (*body)(void *userdata, const char *data, size_t size);
    int (*end)(void *userdata, const struct field *trailers, size_t n_trailers);
};

enum h1_state {
    H1_HEAD,
    H1_BODY,
    H1_ENDED, /* the message is complete, and nothing is read before h1_next() */
    H1_RAW,   /* after an upgrade: everything is body, without an end but the connection's */
};

struct h1_decoder {
    llhttp_t parser;
    const struct h1_events *events;
    void *userdata;
    enum h1_kind kind;
    enum h1_state state;
    bool head_only; /* set before a response: its request was HEAD */
    bool whole;     /* llhttp saw the end of the message */

    struct buffer head;     /* as far as it has come */
    size_t scanned;         /* of it */
    size_t line;            /* where the line begins that scanned is in */
    unsigned n_empty_lines; /* before it */

    struct h1_head *building; /* while llhttp goes through a head */

    struct buffer trailers; /* names and values, one after the other */
    size_t n_trailers;
    struct {
        size_t name, value;
    } trailer_sizes[H1_TRAILER_FIELDS_MAX];

    int status;          /* what to answer after -EBADMSG: 400, 417, 431, 505 */
    const char *problem; /* and why; constant text */
};

void h1_init(struct h1_decoder *decoder, enum h1_kind kind, const struct h1_events *events,
             void *userdata);

/* Takes bytes until a head is complete, the message is, or there are no more; *ret_used says how
 * many. Returns 0, -EBADMSG (see status and problem), -ENOMEM, or what an event returned. */
int h1_feed(struct h1_decoder *decoder, char *data, size_t size, size_t *ret_used);

/* The peer closed. 0: this ended a message, or lies between two; -EBADMSG: it cut one off. */
int h1_feed_end(struct h1_decoder *decoder);

/* Nothing of a message has come yet. */
bool h1_is_fresh(const struct h1_decoder *decoder);

/* Ready for the next message. */
void h1_next(struct h1_decoder *decoder);
void h1_done(struct h1_decoder *decoder);

/* How the body of the message that is being written is framed. */
struct h1_encoder {
    bool chunked;
};

/* Append to out. A response is for a peer that speaks HTTP/1.0 or not, and says whether the
 * connection ends with it. Return 0 or -ENOMEM. */
int h1_encode_request(struct h1_encoder *encoder, struct buffer *out, const struct head *head);
int h1_encode_response(struct h1_encoder *encoder, struct buffer *out, const struct head *head,
                       bool http10, bool close);

/* What goes before and after a piece of body of that size; both empty if the body is not chunked.
 */
#define H1_CHUNK_PREFIX_SIZE 20
size_t h1_chunk_prefix(const struct h1_encoder *encoder, size_t size,
                       char ret[static H1_CHUNK_PREFIX_SIZE]);
int h1_encode_end(const struct h1_encoder *encoder, struct buffer *out,
                  const struct field *trailers, size_t n_trailers);
