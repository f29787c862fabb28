/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/resolvers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"

static bool parse_address(const char *text, size_t size, struct ruleset_address *ret)
{
    char copy[INET6_ADDRSTRLEN];
    const char *scope = memchr(text, '%', size);
    const size_t n = scope ? (size_t)(scope - text) : size;

    *ret = (struct ruleset_address){ 0 };
    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    ret->family = strchr(copy, ':') ? AF_INET6 : AF_INET;
    return inet_pton(ret->family, copy, ret->address) == 1;
}

static size_t skip(const char *p, const char *end, bool space)
{
    size_t n = 0;

    while (p + n < end && (p[n] == ' ' || p[n] == '\t' || p[n] == '\r') == space)
        n++;
    return n;
}

static bool is_known(const struct ruleset_address *list, size_t n,
                     const struct ruleset_address *address)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].family == address->family &&
            memcmp(list[i].address, address->address, sizeof address->address) == 0)
            return true;
    return false;
}

size_t resolvers_parse(const char *text, size_t size, struct ruleset_address ret[RESOLVERS_MAX])
{
    static const char word[] = "nameserver";
    const char *const whole_end = text + size;
    size_t n = 0;

    while (text < whole_end && n < RESOLVERS_MAX) {
        const char *newline = memchr(text, '\n', (size_t)(whole_end - text));
        const char *end = newline ? newline : whole_end;

        /* The keyword begins the line, and space follows it. */
        if ((size_t)(end - text) > strlen(word) && memcmp(text, word, strlen(word)) == 0) {
            const char *p = text + strlen(word);
            const size_t space = skip(p, end, true);

            p += space;
            if (space > 0 && parse_address(p, skip(p, end, false), &ret[n]) &&
                !is_known(ret, n, &ret[n]))
                n++;
        }
        text = newline ? newline + 1 : whole_end;
    }
    if (n == 0) {
        ret[n++] = (struct ruleset_address){ AF_INET, { 127, 0, 0, 1 } };
        ret[n++] = (struct ruleset_address){ AF_INET6, { [15] = 1 } };
    }
    return n;
}

size_t resolvers_read(struct ruleset_address ret[RESOLVERS_MAX])
{
    _cleanup_fclose_ FILE *file = fopen(RESOLVERS_FILE, "re");
    _cleanup_free_ char *text = NULL;
    size_t size = 0;
    ssize_t n = file ? getdelim(&text, &size, '\0', file) : -1;

    return resolvers_parse(text, n < 0 ? 0 : (size_t)n, ret);
}
