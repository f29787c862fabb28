/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/h1.h"

#include <errno.h>
#include <string.h>

#include "proxy/fields.h"
#include "proxy/h1-head.h"
#include "proxy/h1-strict.h"

/* RFC 9112, 2.2: empty lines before a request are passed over. One is what old clients sent. */
#define EMPTY_LINES_MAX 2

static struct h1_decoder *decoder_of(llhttp_t *parser)
{
    return parser->data;
}

static int fail(struct h1_decoder *decoder, int status, const char *problem)
{
    decoder->status = status;
    decoder->problem = problem;
    return -EBADMSG;
}

/* A head is given to llhttp in one piece, so each of its spans is, too. */
static int on_method(llhttp_t *parser, const char *at, size_t size)
{
    decoder_of(parser)->building->head.method = (struct slice){ at, size };
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t size)
{
    decoder_of(parser)->building->head.path = (struct slice){ at, size };
    return 0;
}

static int trailer_piece(struct h1_decoder *decoder, const char *at, size_t size, size_t *total)
{
    if (buffer_size(&decoder->trailers) + size > H1_TRAILERS_MAX) {
        fail(decoder, 431, "more trailers than are taken");
        return -1;
    }
    *total += size;
    return buffer_append(&decoder->trailers, at, size) < 0 ? -1 : 0;
}

static int on_trailer_name(struct h1_decoder *decoder, const char *at, size_t size)
{
    size_t n = decoder->n_trailers;

    /* The name of the next one, or more of the same name: a value has not begun then. */
    if (n == H1_TRAILER_FIELDS_MAX) {
        fail(decoder, 431, "more trailers than are taken");
        return -1;
    }
    return trailer_piece(decoder, at, size, &decoder->trailer_sizes[n].name);
}

static int on_field(llhttp_t *parser, const char *at, size_t size)
{
    struct h1_decoder *decoder = decoder_of(parser);

    if (!decoder->building)
        return on_trailer_name(decoder, at, size);
    struct head *head = &decoder->building->head;
    if (head->n_fields == H1_FIELDS_MAX) {
        fail(decoder, 431, "more header fields than are taken");
        return -1;
    }
    head->fields[head->n_fields++] = (struct field){ .name = { at, size }, .value = { at, 0 } };
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t size)
{
    struct h1_decoder *decoder = decoder_of(parser);

    if (!decoder->building)
        return trailer_piece(decoder, at, size, &decoder->trailer_sizes[decoder->n_trailers].value);
    while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t'))
        size--;
    struct head *head = &decoder->building->head;
    head->fields[head->n_fields - 1].value = (struct slice){ at, size };
    return 0;
}

static int on_value_complete(llhttp_t *parser)
{
    struct h1_decoder *decoder = decoder_of(parser);

    if (!decoder->building)
        decoder->n_trailers++;
    return 0;
}

static void take_framing(struct head *head, const llhttp_t *parser, enum h1_kind kind)
{
    head->has_length = parser->flags & F_CONTENT_LENGTH;
    head->length = head->has_length ? parser->content_length : 0;
    if (parser->flags & F_CHUNKED)
        head->body = BODY_STREAM;
    else if (head->has_length)
        head->body = head->length > 0 ? BODY_SIZED : BODY_NONE;
    else
        head->body = kind == H1_RESPONSE ? BODY_STREAM : BODY_NONE;
}

static int on_headers_complete(llhttp_t *parser)
{
    struct h1_decoder *decoder = decoder_of(parser);
    struct h1_head *head = decoder->building;
    int status;

    /* Again after trailers. */
    if (!head)
        return 0;
    head->http10 = parser->http_minor == 0;
    take_framing(&head->head, parser, decoder->kind);
    if (decoder->kind == H1_REQUEST) {
        struct slice target = head->head.path;

        head->head.path = (struct slice){ 0 };
        status = h1_read_request(head, (char *)target.data, target.size, &decoder->problem);
    } else {
        head->head.status = parser->status_code;
        status = h1_read_response(head, decoder->head_only, &decoder->problem);
    }
    if (status != 0) {
        decoder->status = status;
        return -1;
    }
    /* What follows is ours to say, by the framing alone. */
    parser->upgrade = 0;
    return head->head.body == BODY_NONE ? 1 : 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t size)
{
    struct h1_decoder *decoder = decoder_of(parser);

    int r = decoder->events->body(decoder->userdata, at, size);
    if (r < 0)
        decoder->status = r;
    return r < 0 ? -1 : 0;
}

static int on_message_complete(llhttp_t *parser)
{
    decoder_of(parser)->whole = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_method = on_method,
    .on_url = on_url,
    .on_header_field = on_field,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void h1_init(struct h1_decoder *decoder, enum h1_kind kind, const struct h1_events *events,
             void *userdata)
{
    *decoder = (struct h1_decoder){ .events = events, .userdata = userdata, .kind = kind };
    llhttp_init(&decoder->parser, kind == H1_REQUEST ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
    decoder->parser.data = decoder;
}

void h1_next(struct h1_decoder *decoder)
{
    /* Also out of an error and of the closed state that `Connection: close` leaves. */
    llhttp_reset(&decoder->parser);
    decoder->state = H1_HEAD;
    decoder->whole = false;
    decoder->scanned = decoder->line = 0;
    decoder->n_empty_lines = 0;
    buffer_free(&decoder->head);
    buffer_free(&decoder->trailers);
    memset(decoder->trailer_sizes, 0, decoder->n_trailers * sizeof(decoder->trailer_sizes[0]));
    decoder->n_trailers = 0;
}

void h1_done(struct h1_decoder *decoder)
{
    buffer_free(&decoder->head);
    buffer_free(&decoder->trailers);
}

bool h1_is_fresh(const struct h1_decoder *decoder)
{
    return decoder->state == H1_HEAD && buffer_size(&decoder->head) == 0;
}

/* llhttp's word for what is wrong, unless one of the callbacks had its own. */
static int fail_parse(struct h1_decoder *decoder)
{
    if (decoder->status < 0)
        return decoder->status;
    if (decoder->status == 0) {
        const char *reason = llhttp_get_error_reason(&decoder->parser);

        fail(decoder, 400, reason && *reason ? reason : "not HTTP");
    }
    return -EBADMSG;
}

static int end(struct h1_decoder *decoder)
{
    struct field trailers[H1_TRAILER_FIELDS_MAX];
    const char *at = buffer_head(&decoder->trailers);
    size_t n = 0;

    for (size_t i = 0; i < decoder->n_trailers; i++) {
        struct field field = { { at, decoder->trailer_sizes[i].name }, { 0 } };

        at += field.name.size;
        field.value = (struct slice){ at, decoder->trailer_sizes[i].value };
        at += field.value.size;
        if (field_may_trail(field.name))
            trailers[n++] = field;
    }
    decoder->state = H1_ENDED;
    return decoder->events->end(decoder->userdata, trailers, n);
}

static int parse_head(struct h1_decoder *decoder, char *data, size_t size)
{
    struct field fields[H1_FIELDS_MAX];
    struct h1_head head = { .head.fields = fields };

    decoder->status = h1_strict_check(decoder->kind, data, size, &decoder->problem);
    if (decoder->status != 0)
        return -EBADMSG;

    decoder->building = &head;
    llhttp_errno_t error = llhttp_execute(&decoder->parser, data, size);
    decoder->building = NULL;
    if (error != HPE_OK && !(error == HPE_PAUSED && decoder->whole))
        return fail_parse(decoder);
    /* llhttp and h1_strict_scan() must mean the same end. */
    if (head.head.body == BODY_NONE ? !decoder->whole : decoder->whole)
        return fail(decoder, 400, "a head that ends in two ways");

    decoder->state = H1_BODY;
    return decoder->events->head(decoder->userdata, &head);
}

/* Returns 1 when a head was taken, 0 when more is needed. */
static int feed_head(struct h1_decoder *decoder, char *data, size_t size, size_t *ret_used)
{
    size_t held = buffer_size(&decoder->head);
    bool direct = held == 0;
    int r;

    *ret_used = size;
    if (!direct) {
        r = buffer_append(&decoder->head, data, size);
        if (r < 0)
            return r;
        data = buffer_head(&decoder->head);
        size += held;
    }
    /* Before the limit, so that it is a limit to what is held and not to what is read. */
    r = h1_strict_scan(data, size, &decoder->scanned, &decoder->line, &decoder->problem);
    if (r < 0)
        return fail(decoder, 400, decoder->problem);
    if (decoder->scanned > H1_HEAD_MAX)
        return fail(decoder, 431, "a head that is larger than is taken");
    if (r == 0)
        return direct ? buffer_append(&decoder->head, data, size) : 0;

    *ret_used = decoder->scanned - held;
    if (decoder->scanned == 2 && decoder->kind == H1_REQUEST &&
        decoder->n_empty_lines++ < EMPTY_LINES_MAX) {
        decoder->scanned = decoder->line = 0;
        buffer_free(&decoder->head);
        return 0;
    }
    r = parse_head(decoder, data, decoder->scanned);
    buffer_free(&decoder->head);
    return r < 0 ? r : 1;
}

static int feed_body(struct h1_decoder *decoder, char *data, size_t size, size_t *ret_used)
{
    decoder->status = 0;
    llhttp_errno_t error = llhttp_execute(&decoder->parser, data, size);
    if (error == HPE_OK) {
        *ret_used = size;
        return 0;
    }
    if (error != HPE_PAUSED || !decoder->whole)
        return fail_parse(decoder);
    *ret_used = (size_t)(llhttp_get_error_pos(&decoder->parser) - data);
    return end(decoder);
}

int h1_feed(struct h1_decoder *decoder, char *data, size_t size, size_t *ret_used)
{
    int r;

    *ret_used = 0;
    switch (decoder->state) {
    case H1_HEAD:
        do {
            size_t used;

            r = feed_head(decoder, data + *ret_used, size - *ret_used, &used);
            *ret_used += used;
        } while (r == 0 && *ret_used < size);
        if (r > 0 && decoder->whole && decoder->state == H1_BODY)
            return end(decoder);
        return r < 0 ? r : 0;
    case H1_BODY:
        return feed_body(decoder, data, size, ret_used);
    case H1_RAW:
        *ret_used = size;
        return decoder->events->body(decoder->userdata, data, size);
    case H1_ENDED:
        break;
    }
    return 0;
}

int h1_feed_end(struct h1_decoder *decoder)
{
    if (decoder->state == H1_ENDED || h1_is_fresh(decoder))
        return 0;
    if (decoder->state == H1_RAW)
        return end(decoder);
    if (decoder->state == H1_BODY) {
        llhttp_errno_t error = llhttp_finish(&decoder->parser);

        if (decoder->whole && (error == HPE_OK || error == HPE_PAUSED))
            return end(decoder);
    }
    return fail(decoder, 400, "the connection ended within a message");
}
