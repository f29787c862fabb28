/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes of a client or an origin. The first byte chooses which, and the size of the pieces in which
 * the rest arrives. What is made of them must not depend on the pieces; and what would be sent on
 * must be read in the same way by the next one, or somebody could smuggle. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/h1.h"

struct seen {
    struct buffer text;  /* what it meant, for comparison */
    struct buffer again; /* written anew */
    struct h1_encoder encoder;
    enum h1_kind kind;
    bool encodes;
    bool close;
};

static void put(struct buffer *buffer, const void *data, size_t size)
{
    if (buffer_append(buffer, data, size) < 0)
        abort();
}

static int on_head(void *userdata, struct h1_head *h1)
{
    struct seen *seen = userdata;
    const struct head *head = &h1->head;
    /* What is left out is another way to write the same, or does not go on. */
    char line[1024];
    int size = snprintf(line, sizeof(line), "[%s %u %d %s %u %d %d %d %ju %d]", head->target.host,
                        head->target.port == 80 ? 0 : head->target.port, head->scheme,
                        h1->has_host ? "host" : "", head->status, head->body, head->has_length,
                        head->expects_continue, (uintmax_t)head->length,
                        head->upgrade == UPGRADE_WEBSOCKET);

    put(&seen->text, line, (size_t)size);
    put(&seen->text, head->method.data, head->method.size);
    put(&seen->text, head->path.data, head->path.size);
    for (size_t i = 0; i < head->n_fields; i++) {
        put(&seen->text, head->fields[i].name.data, head->fields[i].name.size);
        put(&seen->text, "=", 1);
        put(&seen->text, head->fields[i].value.data, head->fields[i].value.size);
    }
    /* As the exchange passes it on: a path at the origin's. */
    seen->encodes = h1->form == H1_ORIGIN && h1->has_host;
    if (seen->kind == H1_RESPONSE) {
        seen->encodes = head->body != BODY_NONE;
        h1_encode_response(&seen->encoder, &seen->again, head, false, false);
    } else if (seen->encodes)
        h1_encode_request(&seen->encoder, &seen->again, head);
    return 0;
}

static int on_body(void *userdata, const char *data, size_t size)
{
    struct seen *seen = userdata;
    char prefix[H1_CHUNK_PREFIX_SIZE];

    put(&seen->text, data, size);
    if (!seen->encodes)
        return 0;
    size_t n = h1_chunk_prefix(&seen->encoder, size, prefix);
    put(&seen->again, prefix, n);
    put(&seen->again, data, size);
    if (n > 0)
        put(&seen->again, "\r\n", 2);
    return 0;
}

static int on_end(void *userdata, const struct field *trailers, size_t n)
{
    struct seen *seen = userdata;

    put(&seen->text, "|", 1);
    for (size_t i = 0; i < n; i++) {
        put(&seen->text, trailers[i].name.data, trailers[i].name.size);
        put(&seen->text, "=", 1);
        put(&seen->text, trailers[i].value.data, trailers[i].value.size);
    }
    if (seen->encodes)
        h1_encode_end(&seen->encoder, &seen->again, trailers, n);
    return 0;
}

static const struct h1_events events = { on_head, on_body, on_end };

/* One message. Returns whether it was whole. */
static bool decode(enum h1_kind kind, const uint8_t *data, size_t size, size_t piece,
                   struct seen *seen)
{
    struct h1_decoder decoder;
    size_t at = 0, used;
    int r = 0;

    *seen = (struct seen){ .kind = kind };
    h1_init(&decoder, kind, &events, seen);
    while (r == 0 && at < size && decoder.state != H1_ENDED) {
        size_t n = size - at < piece ? size - at : piece;
        char *copy = malloc(n);

        if (!copy)
            abort();
        memcpy(copy, data + at, n);
        r = h1_feed(&decoder, copy, n, &used);
        if (r == 0 && used == 0)
            abort();
        at += used;
        free(copy);
    }
    if (r == 0 && decoder.state != H1_ENDED)
        r = h1_feed_end(&decoder);
    bool whole = r == 0 && decoder.state == H1_ENDED;
    h1_done(&decoder);
    return whole;
}

static void done(struct seen *seen)
{
    buffer_free(&seen->text);
    buffer_free(&seen->again);
}

static bool same(const struct buffer *a, const struct buffer *b)
{
    return buffer_size(a) == buffer_size(b) &&
           (buffer_size(a) == 0 || memcmp(buffer_head(a), buffer_head(b), buffer_size(a)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen at_once, in_pieces, again;

    if (size < 1)
        return 0;
    enum h1_kind kind = data[0] & 1 ? H1_RESPONSE : H1_REQUEST;
    size_t piece = 1 + (data[0] >> 1) % 32;
    bool whole = decode(kind, data + 1, size - 1, SIZE_MAX, &at_once);
    if (decode(kind, data + 1, size - 1, piece, &in_pieces) != whole)
        abort();
    if (whole && !same(&at_once.text, &in_pieces.text))
        abort();
    if (whole && at_once.encodes) {
        if (!decode(kind, (const uint8_t *)buffer_head(&at_once.again), buffer_size(&at_once.again),
                    SIZE_MAX, &again))
            abort();
        if (!same(&at_once.text, &again.text))
            abort();
        done(&again);
    }
    done(&at_once);
    done(&in_pieces);
    return 0;
}
