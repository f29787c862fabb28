/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* inet_aton(3) takes "0x7f.1", "017700000001" and "2130706433" for addresses, and so do resolvers.
 * The WHATWG URL standard ("ends in a number") has it that what ends in a number is an address or
 * nothing; so no top-level domain is one. */
static bool looks_numeric(const char *host)
{
    const char *last = strrchr(host, '.');

    last = last ? last + 1 : host;
    if (last[0] == '0' && last[1] == 'x') {
        for (last += 2; *last; last++)
            if (!is_hex(*last))
                return false;
        return true;
    }
    for (; *last; last++)
        if (!is_digit(*last))
            return false;
    return true;
}

/* Underscores are no host name's (RFC 952), but exist in DNS and are asked for. */
static bool is_label_char(char c)
{
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}

static int check_labels(const char *host)
{
    size_t label = 0;

    for (const char *c = host;; c++) {
        if (*c == '.' || !*c) {
            if (label == 0 || label > 63 || c[-1] == '-')
                return -EINVAL;
            label = 0;
            if (!*c)
                return 0;
            continue;
        }
        if (!is_label_char(*c) || (label == 0 && *c == '-'))
            return -EINVAL;
        label++;
    }
}

static int take_v6(const char *text, size_t size, struct identity *ret)
{
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr address;

    if (size >= sizeof(copy) || memchr(text, '\0', size))
        return -EINVAL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (inet_pton(AF_INET6, copy, &address) != 1 ||
        !inet_ntop(AF_INET6, &address, ret->host, sizeof(ret->host)))
        return -EINVAL;
    ret->literal = ret->v6 = true;
    return 0;
}

static int take_name(const char *text, size_t size, struct identity *ret)
{
    struct in_addr address;

    if (size > 0 && text[size - 1] == '.')
        size--;
    if (size == 0 || size >= sizeof(ret->host) || memchr(text, '\0', size))
        return -EINVAL;
    for (size_t i = 0; i < size; i++)
        ret->host[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    ret->host[size] = '\0';

    int r = check_labels(ret->host);
    if (r < 0)
        return r;
    /* inet_pton(3) knows the dotted quad in decimal alone, without leading zeros. */
    if (inet_pton(AF_INET, ret->host, &address) == 1)
        ret->literal = true;
    else if (looks_numeric(ret->host))
        return -EINVAL;
    return 0;
}

int host_normalise(const char *text, size_t size, struct identity *ret)
{
    *ret = (struct identity){ 0 };
    return memchr(text, ':', size) ? take_v6(text, size, ret) : take_name(text, size, ret);
}

static int take_port(const char *text, size_t size, uint16_t *ret)
{
    unsigned port = 0;

    if (size == 0 || size > 5)
        return -EINVAL;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(text[i]))
            return -EINVAL;
        port = port * 10 + (unsigned)(text[i] - '0');
    }
    if (port == 0 || port > UINT16_MAX)
        return -EINVAL;
    *ret = (uint16_t)port;
    return 0;
}

int host_parse_authority(const char *text, size_t size, struct identity *ret,
                         const char **ret_problem)
{
    const char *end = text + size, *port = NULL;
    int r;

    *ret = (struct identity){ 0 };
    if (memchr(text, '@', size)) {
        *ret_problem = "the authority has userinfo";
        return -EINVAL;
    }
    if (size > 0 && text[0] == '[') {
        const char *close = memchr(text, ']', size);

        *ret_problem = "the IPv6 address in brackets is none";
        if (!close)
            return -EINVAL;
        if (close + 1 < end) {
            if (close[1] != ':')
                return -EINVAL;
            port = close + 2;
        }
        r = take_v6(text + 1, (size_t)(close - text) - 1, ret);
    } else {
        const char *colon = memchr(text, ':', size);

        if (colon && memchr(colon + 1, ':', (size_t)(end - colon) - 1)) {
            *ret_problem = "an IPv6 address needs brackets, as in [2001:db8::1]:443";
            return -EINVAL;
        }
        if (colon)
            port = colon + 1;
        *ret_problem = "the host is neither a name nor an address";
        r = take_name(text, colon ? (size_t)(colon - text) : size, ret);
    }
    if (r < 0)
        return r;
    *ret_problem = "the port is not a number from 1 to 65535";
    return port ? take_port(port, (size_t)(end - port), &ret->port) : 0;
}

bool host_equal(const struct identity *a, const struct identity *b)
{
    return strcmp(a->host, b->host) == 0;
}

size_t host_format_authority(const struct identity *identity, uint16_t standard_port,
                             char ret[static AUTHORITY_SIZE])
{
    const char *open = identity->v6 ? "[" : "", *close = identity->v6 ? "]" : "";
    int n;

    if (identity->port == 0 || identity->port == standard_port)
        n = snprintf(ret, AUTHORITY_SIZE, "%s%s%s", open, identity->host, close);
    else
        n = snprintf(ret, AUTHORITY_SIZE, "%s%s%s:%u", open, identity->host, close,
                     (unsigned)identity->port);
    return (size_t)n;
}
