/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/h1-head.h"

#include <string.h>
#include <strings.h>

#include "proxy/fields.h"

/* What the fields say that do not pass. */
struct said {
    const struct field *host, *content_length, *transfer_encoding, *upgrade, *expect;
    bool named_connection; /* Connection names fields that are to be dropped */
    bool close, keep_alive, wants_upgrade;
};

static int once(const struct field **seen, const struct field *field, const char *problem,
                const char **ret_problem)
{
    if (*seen) {
        *ret_problem = problem;
        return 400;
    }
    *seen = field;
    return 0;
}

/* RFC 9110, 7.6.1. Naming what frames or routes a message would have the next hop read another
 * message than this one did. */
static int read_connection(struct said *said, struct slice value, const char **ret_problem)
{
    struct slice element;

    while (field_next_element(&value, &element)) {
        if (slice_is(element, "close"))
            said->close = true;
        else if (slice_is(element, "keep-alive"))
            said->keep_alive = true;
        else if (slice_is(element, "upgrade"))
            said->wants_upgrade = true;
        else if (field_use(element) == FIELD_FRAMING) {
            *ret_problem = "Connection names a field that frames or routes the message";
            return 400;
        } else if (field_use(element) == FIELD_PASS)
            said->named_connection = true;
    }
    return 0;
}

static int look(const struct head *head, struct said *said, const char **ret_problem)
{
    int status = 0;

    for (size_t i = 0; i < head->n_fields && status == 0; i++) {
        const struct field *field = &head->fields[i];

        switch (field_use(field->name)) {
        case FIELD_PASS:
            continue;
        case FIELD_FRAMING:
            if (slice_is(field->name, "host"))
                status = once(&said->host, field, "more than one Host field", ret_problem);
            else if (slice_is(field->name, "content-length"))
                status = once(&said->content_length, field, "more than one Content-Length field",
                              ret_problem);
            else
                status = once(&said->transfer_encoding, field,
                              "more than one Transfer-Encoding field", ret_problem);
            continue;
        case FIELD_DROP:
            if (slice_is(field->name, "connection"))
                status = read_connection(said, field->value, ret_problem);
            else if (slice_is(field->name, "upgrade"))
                status = once(&said->upgrade, field, "more than one Upgrade field", ret_problem);
            else if (slice_is(field->name, "expect"))
                said->expect = field;
        }
    }
    if (status != 0)
        return status;
    if (said->transfer_encoding && !slice_is(said->transfer_encoding->value, "chunked")) {
        *ret_problem = "a transfer coding other than chunked";
        return 400;
    }
    if (said->transfer_encoding && said->content_length) {
        *ret_problem = "both Transfer-Encoding and Content-Length";
        return 400;
    }
    return 0;
}

static bool is_named(const struct head *head, struct slice name)
{
    struct slice element;

    for (size_t i = 0; i < head->n_fields; i++) {
        struct slice value = head->fields[i].value;

        if (slice_is(head->fields[i].name, "connection"))
            while (field_next_element(&value, &element))
                if (slice_equal(element, name))
                    return true;
    }
    return false;
}

/* Last, as it moves what said points to. */
static void drop_fields(struct head *head, const struct said *said)
{
    /* The Connection field itself has to stay until the end: it is what is asked. */
    if (said->named_connection) {
        size_t kept = 0;

        for (size_t i = 0; i < head->n_fields; i++)
            if (field_use(head->fields[i].name) != FIELD_PASS ||
                !is_named(head, head->fields[i].name)) {
                struct field field = head->fields[kept];

                head->fields[kept++] = head->fields[i];
                head->fields[i] = field;
            }
        head->n_fields = kept;
    }

    size_t kept = 0;
    for (size_t i = 0; i < head->n_fields; i++)
        if (field_use(head->fields[i].name) == FIELD_PASS)
            head->fields[kept++] = head->fields[i];
    head->n_fields = kept;
}

/* h2c is an offer that many clients make with each plain request and that may be left aside (RFC
 * 9110, 7.8). */
static enum upgrade read_upgrade(const struct said *said)
{
    if (!said->wants_upgrade || !said->upgrade || slice_is(said->upgrade->value, "h2c"))
        return UPGRADE_NONE;
    return slice_is(said->upgrade->value, "websocket") ? UPGRADE_WEBSOCKET : UPGRADE_OTHER;
}

static int read_absolute(struct h1_head *head, char *target, size_t size, const char **ret_problem)
{
    size_t scheme;

    if (size > 7 && strncasecmp(target, "http://", 7) == 0) {
        head->head.scheme = SCHEME_HTTP;
        scheme = 7;
    } else if (size > 8 && strncasecmp(target, "https://", 8) == 0) {
        head->head.scheme = SCHEME_HTTPS;
        scheme = 8;
    } else {
        *ret_problem = "the request target is neither a path nor an http or https URL";
        return 400;
    }

    char *authority = target + scheme, *end = target + size, *path = authority;
    while (path < end && *path != '/' && *path != '?')
        path++;
    if (host_parse_authority(authority, (size_t)(path - authority), &head->head.target,
                             ret_problem) < 0)
        return 400;
    head->form = H1_ABSOLUTE;
    if (path == end)
        head->head.path = slice_is(head->head.method, "OPTIONS") ? SLICE("*") : SLICE("/");
    else {
        /* The authority was copied, and has at least one byte. */
        if (*path == '?')
            *--path = '/';
        head->head.path = (struct slice){ path, (size_t)(end - path) };
    }
    return 0;
}

static int read_target(struct h1_head *head, char *target, size_t size, const char **ret_problem)
{
    if (memchr(target, '#', size)) {
        *ret_problem = "a fragment in the request target";
        return 400;
    }
    if (slice_is(head->head.method, "CONNECT")) {
        head->form = H1_AUTHORITY;
        if (host_parse_authority(target, size, &head->head.target, ret_problem) < 0)
            return 400;
        *ret_problem = "CONNECT needs HOST:PORT";
        return head->head.target.port == 0 ? 400 : 0;
    }
    if (size > 0 && target[0] != '/' && !(size == 1 && target[0] == '*'))
        return read_absolute(head, target, size, ret_problem);

    head->form = target[0] == '/' ? H1_ORIGIN : H1_ASTERISK;
    head->head.path = (struct slice){ target, size };
    *ret_problem = "a request target that only OPTIONS may have";
    return head->form == H1_ASTERISK && !slice_is(head->head.method, "OPTIONS") ? 400 : 0;
}

static bool same_authority(const struct identity *a, const struct identity *b, uint16_t standard)
{
    return host_equal(a, b) && (a->port ? a->port : standard) == (b->port ? b->port : standard);
}

static int read_host(struct h1_head *head, const struct field *field, const char **ret_problem)
{
    struct identity host;

    if (!field) {
        *ret_problem = "no Host field";
        head->has_host = head->form == H1_ABSOLUTE || head->form == H1_AUTHORITY;
        return head->http10 ? 0 : 400;
    }
    if (host_parse_authority(field->value.data, field->value.size, &host, ret_problem) < 0)
        return 400;
    head->has_host = true;
    switch (head->form) {
    case H1_ABSOLUTE:
        *ret_problem = "the request target and the Host field name different hosts";
        return same_authority(&host, &head->head.target, scheme_port(head->head.scheme)) ? 0 : 400;
    case H1_AUTHORITY:
        /* Some clients leave the port out here, so only the host is compared. */
        *ret_problem = "CONNECT and the Host field name different hosts";
        return host_equal(&host, &head->head.target) ? 0 : 400;
    default:
        head->head.target = host;
        return 0;
    }
}

int h1_read_request(struct h1_head *head, char *target, size_t target_size,
                    const char **ret_problem)
{
    struct said said = { 0 };

    int status = look(&head->head, &said, ret_problem);
    if (status == 0)
        status = read_target(head, target, target_size, ret_problem);
    if (status == 0)
        status = read_host(head, said.host, ret_problem);
    if (status != 0)
        return status;
    if (said.transfer_encoding && head->http10) {
        *ret_problem = "Transfer-Encoding in HTTP/1.0";
        return 400;
    }
    if (said.expect) {
        *ret_problem = "an expectation other than 100-continue";
        if (!slice_is(said.expect->value, "100-continue"))
            return 417;
        /* RFC 9110, 10.1.1: HTTP/1.0 has no interim answers. */
        head->head.expects_continue = !head->http10;
    }
    head->keep_alive = !said.close && !head->http10;
    head->head.upgrade = head->http10 ? UPGRADE_NONE : read_upgrade(&said);
    head->head.head_only = slice_is(head->head.method, "HEAD");
    drop_fields(&head->head, &said);
    return 0;
}

int h1_read_response(struct h1_head *head, bool head_only, const char **ret_problem)
{
    struct said said = { 0 };

    int status = look(&head->head, &said, ret_problem);
    if (status != 0)
        return status;
    if (said.transfer_encoding && head->http10) {
        *ret_problem = "Transfer-Encoding in HTTP/1.0";
        return 400;
    }

    /* RFC 9112, 6.3. A Content-Length that is forbidden there says nothing (RFC 9110, 8.6). */
    unsigned code = head->head.status;
    if (code < 200 || code == 204) {
        head->head.body = BODY_NONE;
        head->head.has_length = false;
    } else if (head_only || code == 304)
        head->head.body = BODY_NONE;

    head->keep_alive = !said.close && (!head->http10 || said.keep_alive);
    /* Without a length the end is where the connection ends. */
    if (head->head.body == BODY_STREAM && !said.transfer_encoding)
        head->keep_alive = false;
    head->head.upgrade = code == 101 ? read_upgrade(&said) : UPGRADE_NONE;
    drop_fields(&head->head, &said);
    return 0;
}
