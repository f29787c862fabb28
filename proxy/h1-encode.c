/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/h1.h"

#include <stdio.h>
#include <string.h>

/* Appends to a buffer in which room was made. */
static void put(struct buffer *out, const char *data, size_t size)
{
    memcpy(out->data + out->end, data, size);
    out->end += size;
}

#define PUT(out, text) put(out, text, sizeof(text) - 1)

static size_t fields_size(const struct field *fields, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += fields[i].name.size + fields[i].value.size + 4;
    return size;
}

static void put_fields(struct buffer *out, const struct field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(out, fields[i].name.data, fields[i].name.size);
        PUT(out, ": ");
        put(out, fields[i].value.data, fields[i].value.size);
        PUT(out, "\r\n");
    }
}

static void put_number(struct buffer *out, uint64_t number)
{
    char digits[20], *at = digits + sizeof(digits);

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_framing(struct h1_encoder *encoder, struct buffer *out, const struct head *head)
{
    encoder->chunked = head->body == BODY_STREAM;
    if (encoder->chunked)
        PUT(out, "Transfer-Encoding: chunked\r\n");
    else if (head->has_length) {
        PUT(out, "Content-Length: ");
        put_number(out, head->length);
        PUT(out, "\r\n");
    }
}

/* What the lines that are written here can add up to. */
#define OWN_LINES 256

int h1_encode_request(struct h1_encoder *encoder, struct buffer *out, const struct head *head)
{
    char authority[AUTHORITY_SIZE];
    size_t size = host_format_authority(&head->target, scheme_port(head->scheme), authority);

    int r = buffer_reserve(out, head->method.size + head->path.size + size + OWN_LINES +
                                    fields_size(head->fields, head->n_fields));
    if (r < 0)
        return r;
    put(out, head->method.data, head->method.size);
    PUT(out, " ");
    put(out, head->path.data, head->path.size);
    PUT(out, " HTTP/1.1\r\nHost: ");
    put(out, authority, size);
    PUT(out, "\r\n");
    put_fields(out, head->fields, head->n_fields);
    put_framing(encoder, out, head);
    if (head->expects_continue)
        PUT(out, "Expect: 100-continue\r\n");
    if (head->upgrade == UPGRADE_WEBSOCKET)
        PUT(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    PUT(out, "\r\n");
    return 0;
}

/* HTTP/2 has no reason phrases, so heads have none; but people read them in what clients print. */
static void put_reason(struct buffer *out, unsigned status)
{
    const char *name = "";
    bool within = false;

    switch (status) {
#define CASE(number, unused, text)                                                                 \
    case number:                                                                                   \
        name = #text;                                                                              \
        break;
        HTTP_STATUS_MAP(CASE)
#undef CASE
    default:
        break;
    }
    if (strcmp(name, "OK") == 0) {
        PUT(out, "OK");
        return;
    }
    for (; *name; name++) {
        char c = *name == '_' ? ' ' : within ? (char)(*name | 0x20) : *name;

        put(out, &c, 1);
        within = *name != '_';
    }
}

int h1_encode_response(struct h1_encoder *encoder, struct buffer *out, const struct head *head,
                       bool http10, bool close)
{
    int r = buffer_reserve(out, OWN_LINES + fields_size(head->fields, head->n_fields));
    if (r < 0)
        return r;
    PUT(out, "HTTP/1.1 ");
    put_number(out, head->status);
    PUT(out, " ");
    put_reason(out, head->status);
    PUT(out, "\r\n");
    put_fields(out, head->fields, head->n_fields);
    if (http10 && head->body == BODY_STREAM)
        encoder->chunked = false;
    else
        put_framing(encoder, out, head);
    if (head->status == 101 && head->upgrade == UPGRADE_WEBSOCKET)
        PUT(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    else if (close && head->status >= 200)
        PUT(out, "Connection: close\r\n");
    PUT(out, "\r\n");
    return 0;
}

size_t h1_chunk_prefix(const struct h1_encoder *encoder, size_t size,
                       char ret[static H1_CHUNK_PREFIX_SIZE])
{
    if (!encoder->chunked)
        return 0;
    return (size_t)snprintf(ret, H1_CHUNK_PREFIX_SIZE, "%zx\r\n", size);
}

int h1_encode_end(const struct h1_encoder *encoder, struct buffer *out,
                  const struct field *trailers, size_t n_trailers)
{
    if (!encoder->chunked)
        return 0;
    int r = buffer_reserve(out, 8 + fields_size(trailers, n_trailers));
    if (r < 0)
        return r;
    PUT(out, "0\r\n");
    put_fields(out, trailers, n_trailers);
    PUT(out, "\r\n");
    return 0;
}
