/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Raw bytes to what a decoder makes of them, as one line of text. Every case is fed whole, byte by
 * byte and in pieces of seven, which must come to the same. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "proxy/h1.h"

struct seen {
    char *text;
    size_t size;
    FILE *out;
    bool in_body;
};

static int on_head(void *userdata, struct h1_head *h1)
{
    static const char *const bodies[] = { "none", "sized", "stream" };
    struct seen *seen = userdata;
    const struct head *head = &h1->head;
    char authority[AUTHORITY_SIZE];

    if (head->status)
        fprintf(seen->out, "%u", head->status);
    else {
        host_format_authority(&head->target, 0, authority);
        fprintf(seen->out, "%.*s %s%s %.*s", (int)head->method.size, head->method.data,
                h1->form == H1_ABSOLUTE && head->scheme == SCHEME_HTTPS ? "https:" : "", authority,
                (int)head->path.size, head->path.data);
    }
    for (size_t i = 0; i < head->n_fields; i++)
        fprintf(seen->out, " %.*s=%.*s", (int)head->fields[i].name.size, head->fields[i].name.data,
                (int)head->fields[i].value.size, head->fields[i].value.data);
    fprintf(seen->out, " %s", bodies[head->body]);
    if (head->has_length)
        fprintf(seen->out, ":%ju", (uintmax_t)head->length);
    if (head->expects_continue)
        fprintf(seen->out, " continue");
    if (head->upgrade)
        fprintf(seen->out, head->upgrade == UPGRADE_WEBSOCKET ? " websocket" : " upgrade");
    if (!h1->keep_alive)
        fprintf(seen->out, " close");
    return 0;
}

static int on_body(void *userdata, const char *data, size_t size)
{
    struct seen *seen = userdata;

    fprintf(seen->out, "%s%.*s", seen->in_body ? "" : " |", (int)size, data);
    seen->in_body = true;
    return 0;
}

static int on_end(void *userdata, const struct field *trailers, size_t n)
{
    struct seen *seen = userdata;

    for (size_t i = 0; i < n; i++)
        fprintf(seen->out, " trailer %.*s=%.*s", (int)trailers[i].name.size, trailers[i].name.data,
                (int)trailers[i].value.size, trailers[i].value.data);
    fprintf(seen->out, " .");
    seen->in_body = false;
    return 0;
}

static const struct h1_events events = { on_head, on_body, on_end };

/* In pieces of `step` bytes; what is not used is fed again with the next. */
static char *decode(enum h1_kind kind, bool head_only, const char *raw, size_t size, size_t step)
{
    struct seen seen = { 0 };
    struct h1_decoder decoder;
    size_t at = 0;
    int r = 0;

    seen.out = open_memstream(&seen.text, &seen.size);
    h1_init(&decoder, kind, &events, &seen);
    decoder.head_only = head_only;
    while (at < size && r == 0) {
        size_t piece = size - at < step ? size - at : step, used;
        _cleanup_free_ char *copy = malloc(piece);

        memcpy(copy, raw + at, piece);
        r = h1_feed(&decoder, copy, piece, &used);
        at += used;
        if (r == 0 && decoder.state == H1_ENDED) {
            h1_next(&decoder);
            if (at < size)
                fprintf(seen.out, " ");
        }
    }
    if (r == 0)
        r = h1_feed_end(&decoder);
    if (r < 0)
        fprintf(seen.out, "%s%d %s", ftell(seen.out) > 0 ? " " : "", decoder.status,
                decoder.problem);
    h1_done(&decoder);
    fclose(seen.out);
    return seen.text;
}

/* A status at the end stands for any reason: llhttp's are its own matter. */
static bool matches(const char *text, const char *expected)
{
    size_t size = strlen(expected);

    if (size >= 4 && strcmp(expected + size - 4, "400 ") == 0)
        return strncmp(text, expected, size) == 0;
    return strcmp(text, expected) == 0;
}

static void expect(enum h1_kind kind, bool head_only, const char *raw, size_t size,
                   const char *expected)
{
    static const size_t steps[] = { SIZE_MAX, 7, 1 };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        _cleanup_free_ char *text = decode(kind, head_only, raw, size, steps[i]);

        if (!matches(text, expected))
            fail_msg("in pieces of %zd:\n%.*s\ngave: %s\nnot:  %s", (ssize_t)steps[i], (int)size,
                     raw, text, expected);
    }
}

#define REQUEST(raw, expected) expect(H1_REQUEST, false, raw, sizeof(raw) - 1, expected)
#define RESPONSE(raw, expected) expect(H1_RESPONSE, false, raw, sizeof(raw) - 1, expected)

#define GET "GET /a HTTP/1.1\r\nHost: h\r\n"
#define POST "POST /a HTTP/1.1\r\nHost: h\r\n"
#define OK "HTTP/1.1 200 OK\r\n"

static void requests(void **state)
{
    (void)state;
    REQUEST(GET "\r\n", "GET h /a none .");
    REQUEST("\r\n\r\n" GET "\r\n\r\n" GET "\r\n", "GET h /a none . GET h /a none .");
    REQUEST("\r\n\r\n\r\n" GET "\r\n", "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST(GET "A: 1\r\nB:2 \t\r\nC:\r\n\r\n", "GET h /a A=1 B=2 C= none .");
    REQUEST(POST "Content-Length: 3\r\n\r\nabc", "POST h /a sized:3 |abc .");
    REQUEST(POST "Content-Length: 0\r\n\r\n", "POST h /a none:0 .");
    REQUEST(POST "Content-Length: 3\r\n\r\nab",
            "POST h /a sized:3 |ab 400 the connection ended within a message");
    REQUEST(GET "\r\n" POST "Content-Length: 1\r\n\r\nx" GET "\r\n",
            "GET h /a none . POST h /a sized:1 |x . GET h /a none .");
    REQUEST(GET "Connection: close\r\n\r\n" GET "\r\n", "GET h /a none close . GET h /a none .");
    REQUEST("GET / HTTP/1.0\r\n\r\n", "GET  / none close .");
    REQUEST("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET  / none close .");
    REQUEST("OPTIONS * HTTP/1.1\r\nHost: h:8080\r\n\r\n", "OPTIONS h:8080 * none .");
    REQUEST("", "");
}

static void targets(void **state)
{
    (void)state;
    REQUEST("GET http://H.Example./x?y HTTP/1.1\r\nHost: h.example\r\n\r\n",
            "GET h.example /x?y none .");
    REQUEST("GET http://h HTTP/1.1\r\nHost: h:80\r\n\r\n", "GET h / none .");
    REQUEST("GET HTTPS://h?q HTTP/1.1\r\nHost: h:443\r\n\r\n", "GET https:h /?q none .");
    REQUEST("OPTIONS http://h:81 HTTP/1.1\r\nHost: h:81\r\n\r\n", "OPTIONS h:81 * none .");
    REQUEST("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "CONNECT h:443  none .");
    REQUEST("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n", "CONNECT [::1]:443  none .");
    /* As they are. */
    REQUEST("GET /a/..//%2e;%2F\\@s%2fn HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET h /a/..//%2e;%2F\\@s%2fn none .");

    REQUEST("GET http://g/ HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 the request target and the Host field name different hosts");
    REQUEST("GET http://h:81/ HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 the request target and the Host field name different hosts");
    REQUEST("CONNECT g:443 HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 CONNECT and the Host field name different hosts");
    REQUEST("CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", "400 CONNECT needs HOST:PORT");
    REQUEST("CONNECT ::1:443 HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 an IPv6 address needs brackets, as in [2001:db8::1]:443");
    REQUEST("GET http://u:p@h/ HTTP/1.1\r\nHost: h\r\n\r\n", "400 the authority has userinfo");
    REQUEST("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 the request target is neither a path nor an http or https URL");
    REQUEST("GET * HTTP/1.1\r\nHost: h\r\n\r\n", "400 a request target that only OPTIONS may have");
    REQUEST("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "400 a fragment in the request target");
    REQUEST("GET /\xc3\xa4 HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 a byte in the request target that has to be percent-encoded");
    REQUEST("GET /\x7f HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 a byte in the request target that has to be percent-encoded");
}

static void hosts(void **state)
{
    (void)state;
    REQUEST("GET / HTTP/1.1\r\n\r\n", "400 no Host field");
    REQUEST("GET / HTTP/1.1\r\nHost:\r\n\r\n", "400 the host is neither a name nor an address");
    REQUEST(GET "Host: h\r\n\r\n", "400 more than one Host field");
    REQUEST("GET / HTTP/1.1\r\nHost: a@h\r\n\r\n", "400 the authority has userinfo");
    REQUEST("GET / HTTP/1.1\r\nHost: h:x\r\n\r\n", "400 the port is not a number from 1 to 65535");
    REQUEST("GET / HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n",
            "400 the host is neither a name nor an address");
}

static void framing(void **state)
{
    (void)state;
    REQUEST(POST
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n",
            "POST h /a stream |abc0123456789 .");
    REQUEST(POST "Transfer-Encoding: CHUNKED\r\n\r\n0\r\nT: 1\r\nCookie: 4\r\nU: 2\r\n\r\n",
            "POST h /a stream trailer T=1 trailer U=2 .");
    REQUEST(POST "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 4\r\n\r\n",
            "POST h /a stream 400 ");

    REQUEST(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 ");
    REQUEST(POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", "400 ");
    REQUEST(POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", "400 ");
    REQUEST(POST "Content-Length: 3, 3\r\n\r\n", "400 ");
    REQUEST(POST "Content-Length: +3\r\n\r\n", "400 ");
    REQUEST(POST "Content-Length: 99999999999999999999\r\n\r\n", "400 ");
    REQUEST(POST "Transfer-Encoding: gzip\r\n\r\n", "400 a transfer coding other than chunked");
    REQUEST(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "400 a transfer coding other than chunked");
    REQUEST(POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400 ");
    REQUEST(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400 ");
    REQUEST(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "400 a transfer coding other than chunked");
    REQUEST(POST "Transfer-Encoding: identity\r\n\r\n", "400 a transfer coding other than chunked");
    REQUEST("POST /a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400 Transfer-Encoding in HTTP/1.0");

#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define CHUNKED_SEEN "POST h /a stream "
    REQUEST(CHUNKED "+1\r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "-1\r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "0x1\r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "1 \r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "\r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "11111111111111111\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "1\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "1\r\nxy\r\n", CHUNKED_SEEN "|x 400 ");
    REQUEST(CHUNKED "1\r\nx\n0\r\n\r\n", CHUNKED_SEEN "|x 400 ");
    REQUEST(CHUNKED "1;a\nb\r\nx\r\n0\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "0\r\nT: a\nU: b\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "0\r\nT: a\r\n b\r\n\r\n", CHUNKED_SEEN "400 ");
    REQUEST(CHUNKED "0\r\nT : a\r\n\r\n", CHUNKED_SEEN "400 ");
}

static void heads(void **state)
{
    (void)state;
    REQUEST("GET / HTTP/1.1\nHost: h\n\n", "400 an LF without CR in the head");
    REQUEST("GET / HTTP/1.1\r\nHost: h\n\r\n", "400 an LF without CR in the head");
    REQUEST(GET "A: b\rc\r\n\r\n", "400 a CR without LF in the head");
    REQUEST(GET "A: b\r\r\n\r\n", "400 a CR without LF in the head");
    REQUEST(GET "A: b\0c\r\n\r\n", "400 a NUL in the head");
    REQUEST(GET "A: b\x01\r\n\r\n", "400 a control character in a header field");
    REQUEST(GET "A : b\r\n\r\n", "400 white space before the colon of a header field");
    REQUEST(GET "A: b\r\n c\r\n\r\n", "400 a folded header field");
    REQUEST(GET " A: b\r\n\r\n", "400 a folded header field");
    REQUEST(GET "A\r\n\r\n", "400 a header field without a name and a colon");
    REQUEST(GET ": b\r\n\r\n", "400 a header field without a name and a colon");
    REQUEST(GET "A(: b\r\n\r\n", "400 ");
    REQUEST("GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
            "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST("GET /\r\n\r\n", "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", "505 only HTTP/1.1 and HTTP/1.0 are spoken here");
    REQUEST("GET / RTSP/1.0\r\nHost: h\r\n\r\n",
            "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST("GET / HTTP/0.9\r\n\r\n", "505 only HTTP/1.1 and HTTP/1.0 are spoken here");
    REQUEST("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 only HTTP/1.1 and HTTP/1.0 are spoken here");
    REQUEST("get / HTTP/1.1\r\nHost: h\r\n\r\n", "400 ");
    REQUEST("BREW / HTTP/1.1\r\nHost: h\r\n\r\n", "400 ");
    REQUEST("\x16\x03\x01\r\n\r\n", "400 the request line is not METHOD TARGET HTTP/1.1");
    REQUEST("GET / HTTP/1.1\r\nHost: h", "400 the connection ended within a message");
}

static void connection_fields(void **state)
{
    (void)state;
    REQUEST(GET "Connection: X-A, keep-alive\r\nX-A: 1\r\nX-B: 2\r\n\r\n", "GET h /a X-B=2 none .");
    REQUEST(GET "x-a: 1\r\nConnection: , X-A\r\n\r\n", "GET h /a none .");
    REQUEST(GET "Connection: a\r\nA: 1\r\nConnection: b\r\nB: 2\r\nC: 3\r\n\r\n",
            "GET h /a C=3 none .");
    REQUEST(GET "Proxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nTE: trailers\r\n"
                "Keep-Alive: 5\r\n\r\n",
            "GET h /a none .");
    REQUEST(GET "Connection: Host\r\n\r\n",
            "400 Connection names a field that frames or routes the message");
    REQUEST(GET "Connection: close, content-length\r\n\r\n",
            "400 Connection names a field that frames or routes the message");
    REQUEST(GET "Connection: Transfer-Encoding\r\n\r\n",
            "400 Connection names a field that frames or routes the message");

    REQUEST(GET "Connection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n\r\n",
            "GET h /a Sec-WebSocket-Key=k none websocket .");
    REQUEST(GET "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n\r\n",
            "GET h /a none .");
    REQUEST(GET "Connection: Upgrade\r\nUpgrade: tls/1.0\r\n\r\n", "GET h /a none upgrade .");
    REQUEST(GET "Upgrade: websocket\r\n\r\n", "GET h /a none .");
    REQUEST(POST "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nab" GET
                 "\r\n",
            "POST h /a sized:2 websocket |ab . GET h /a none .");

    REQUEST(POST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
            "POST h /a sized:1 continue |x .");
    REQUEST(POST "Expect: rain\r\nContent-Length: 1\r\n\r\nx",
            "417 an expectation other than 100-continue");
}

static void limits(void **state)
{
    static char raw[H1_HEAD_MAX + 1024];
    size_t size;

    (void)state;
    /* One byte more than is taken, and no end in sight. */
    size = (size_t)snprintf(raw, sizeof(raw), "%sA: ", GET);
    memset(raw + size, 'x', H1_HEAD_MAX + 1 - size);
    expect(H1_REQUEST, false, raw, H1_HEAD_MAX + 1, "431 a head that is larger than is taken");

    size = (size_t)snprintf(raw, sizeof(raw), "%s", GET);
    for (int i = 0; i < H1_FIELDS_MAX; i++)
        size += (size_t)snprintf(raw + size, sizeof(raw) - size, "A: 1\r\n");
    size += (size_t)snprintf(raw + size, sizeof(raw) - size, "\r\n");
    expect(H1_REQUEST, false, raw, size, "431 more header fields than are taken");

    size = (size_t)snprintf(raw, sizeof(raw), "%s0\r\n", CHUNKED);
    for (int i = 0; i <= H1_TRAILER_FIELDS_MAX; i++)
        size += (size_t)snprintf(raw + size, sizeof(raw) - size, "A: 1\r\n");
    expect(H1_REQUEST, false, raw, size, CHUNKED_SEEN "431 more trailers than are taken");

    size = (size_t)snprintf(raw, sizeof(raw), "%s0\r\nA: ", CHUNKED);
    memset(raw + size, 'x', H1_TRAILERS_MAX + 1);
    expect(H1_REQUEST, false, raw, size + H1_TRAILERS_MAX,
           CHUNKED_SEEN "431 more trailers than are taken");
}

static void responses(void **state)
{
    (void)state;
    RESPONSE(OK "Content-Length: 2\r\n\r\nab" OK "Content-Length: 0\r\n\r\n",
             "200 sized:2 |ab . 200 none:0 .");
    RESPONSE(OK "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nT: 1\r\n\r\n",
             "200 stream |ab trailer T=1 .");
    RESPONSE(OK "\r\nabc", "200 stream close |abc .");
    RESPONSE("HTTP/1.0 200 OK\r\n\r\nabc", "200 stream close |abc .");
    RESPONSE("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\na",
             "200 sized:1 |a .");
    RESPONSE("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204 none .");
    RESPONSE("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 none:5 .");
    RESPONSE("HTTP/1.1 304 Not Modified\r\n\r\n", "304 none .");
    RESPONSE("HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
             "100 none . 200 sized:1 |x .");
    RESPONSE(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        "101 none websocket .");
    RESPONSE("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 none:0 .");
    RESPONSE(OK "Alt-Svc: h3=\":443\"\r\nContent-Length: 0\r\n\r\n", "200 none:0 .");

    expect(H1_RESPONSE, true, OK "Content-Length: 9\r\n\r\n", sizeof(OK) - 1 + 21, "200 none:9 .");
    expect(H1_RESPONSE, true, OK "Transfer-Encoding: chunked\r\n\r\n", sizeof(OK) - 1 + 30,
           "200 none .");

    RESPONSE(OK "Content-Length: 3\r\n\r\nab",
             "200 sized:3 |ab 400 the connection ended within a message");
    RESPONSE(OK "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
             "200 stream |ab 400 the connection ended within a message");
    RESPONSE(OK "Transfer-Encoding: gzip\r\n\r\nab", "400 a transfer coding other than chunked");
    RESPONSE(OK "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", "400 ");
    RESPONSE(OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400 ");
    RESPONSE("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
             "400 Transfer-Encoding in HTTP/1.0");
    RESPONSE(OK "A: b\nC: d\r\n\r\n", "400 an LF without CR in the head");
    RESPONSE(OK "A: b\r\n c\r\n\r\n", "400 a folded header field");
    RESPONSE("HTTP/1.1 099 Low\r\n\r\n", "400 the status line is not HTTP/1.1 STATUS REASON");
    RESPONSE("HTTP/1.1 2000 Long\r\n\r\n", "400 the status line is not HTTP/1.1 STATUS REASON");
    RESPONSE("HTTP/2 200\r\n\r\n", "400 the status line is not HTTP/1.1 STATUS REASON");
    RESPONSE("SSH-2.0-OpenSSH_9.9\r\n\r\n", "400 the status line is not HTTP/1.1 STATUS REASON");
}

static void encoding(void **state)
{
    struct field fields[] = { { SLICE("A"), SLICE("1") }, { SLICE("B"), SLICE("") } };
    struct head head = { .method = SLICE("GET"),
                         .scheme = SCHEME_HTTPS,
                         .target = { .host = "2001:db8::1", .v6 = true, .port = 443 },
                         .path = SLICE("/@s%2fn?q"),
                         .fields = fields,
                         .n_fields = 2 };
    struct buffer out = { 0 };
    struct h1_encoder encoder;
    char prefix[H1_CHUNK_PREFIX_SIZE];

    (void)state;
#define WRITTEN(expected)                                                                          \
    do {                                                                                           \
        assert_int_equal(buffer_size(&out), strlen(expected));                                     \
        assert_memory_equal(buffer_head(&out), expected, strlen(expected));                        \
        buffer_free(&out);                                                                         \
    } while (0)

    assert_int_equal(h1_encode_request(&encoder, &out, &head), 0);
    WRITTEN("GET /@s%2fn?q HTTP/1.1\r\nHost: [2001:db8::1]\r\nA: 1\r\nB: \r\n\r\n");
    assert_int_equal(h1_chunk_prefix(&encoder, 5, prefix), 0);

    head = (struct head){ .method = SLICE("POST"),
                          .target = { .host = "h", .port = 8080 },
                          .path = SLICE("/"),
                          .body = BODY_STREAM,
                          .expects_continue = true,
                          .upgrade = UPGRADE_WEBSOCKET };
    assert_int_equal(h1_encode_request(&encoder, &out, &head), 0);
    WRITTEN("POST / HTTP/1.1\r\nHost: h:8080\r\nTransfer-Encoding: chunked\r\n"
            "Expect: 100-continue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    assert_int_equal(h1_chunk_prefix(&encoder, 0x1f, prefix), 4);
    assert_memory_equal(prefix, "1f\r\n", 4);
    assert_int_equal(h1_encode_end(&encoder, &out, fields, 2), 0);
    WRITTEN("0\r\nA: 1\r\nB: \r\n\r\n");

    head = (struct head){ .status = 404, .body = BODY_STREAM };
    assert_int_equal(h1_encode_response(&encoder, &out, &head, false, false), 0);
    WRITTEN("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_int_equal(h1_encode_response(&encoder, &out, &head, true, true), 0);
    WRITTEN("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    assert_int_equal(h1_encode_end(&encoder, &out, NULL, 0), 0);
    assert_int_equal(buffer_size(&out), 0);

    head = (struct head){ .status = 200, .has_length = true, .length = 18446744073709551615u };
    assert_int_equal(h1_encode_response(&encoder, &out, &head, false, true), 0);
    WRITTEN("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\nConnection: close\r\n\r\n");

    head = (struct head){ .status = 799 };
    assert_int_equal(h1_encode_response(&encoder, &out, &head, false, false), 0);
    WRITTEN("HTTP/1.1 799 \r\n\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests), cmocka_unit_test(targets),
        cmocka_unit_test(hosts),    cmocka_unit_test(framing),
        cmocka_unit_test(heads),    cmocka_unit_test(connection_fields),
        cmocka_unit_test(limits),   cmocka_unit_test(responses),
        cmocka_unit_test(encoding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
