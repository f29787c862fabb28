/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What every version of HTTP says, without how it is written (RFC 9110): a head as plain data, then
 * body pieces, then trailers. Codecs make and take these; the exchange and the policy know nothing
 * else. For HTTP/2 a second codec stands beside h1*.c, and nothing here changes.
 *
 * Slices are not terminated and point into memory of whoever made the head. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proxy/host.h"

struct slice {
    const char *data;
    size_t size;
};

#define SLICE_INIT(text) { text, sizeof(text) - 1 }
#define SLICE(text) (struct slice){ text, sizeof(text) - 1 }

/* Without regard to ASCII case, as field names and most of their tokens are compared. */
bool slice_is(struct slice slice, const char *text);
bool slice_equal(struct slice a, struct slice b);

struct field {
    struct slice name;
    struct slice value; /* without white space around it */
};

enum scheme {
    SCHEME_HTTP,
    SCHEME_HTTPS,
};

static inline uint16_t scheme_port(enum scheme scheme)
{
    return scheme == SCHEME_HTTPS ? 443 : 80;
}

enum body {
    BODY_NONE,
    BODY_SIZED,  /* head.length bytes */
    BODY_STREAM, /* until the end is said, or comes */
};

enum upgrade {
    UPGRADE_NONE,
    UPGRADE_WEBSOCKET,
    UPGRADE_OTHER,
};

struct head {
    /* Of a request. */
    struct slice method;
    enum scheme scheme;
    struct identity target;
    struct slice path; /* with the query; "*" for OPTIONS; empty for CONNECT */
    bool expects_continue;
    bool head_only; /* HEAD: the answer has no body */

    /* Of a response: 100 to 999. */
    unsigned status;

    /* Of both. Fields that are about the connection, and those that the rest of this says again,
     * are not among fields: Host, Content-Length, Transfer-Encoding, Connection, Expect, Upgrade.
     */
    enum upgrade upgrade;
    enum body body;
    bool has_length; /* a Content-Length; with BODY_NONE it is what HEAD or 304 says of it */
    uint64_t length;
    struct field *fields;
    size_t n_fields;
};

/* A copy in one block of memory, which ends with free(*ret). Its slices may be written to, by
 * casting. */
int head_copy(const struct head *head, struct head **ret);
