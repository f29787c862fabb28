/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/egress-rules.h"

#include <stdbool.h>
#include <string.h>

#include "conf/egress-path.h"
#include "conf/egress-policy.h"
#include "conf/rules.h"
#include "conf/types.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

int rule_egress_name(const char *text, struct reason *reason)
{
    /* The log has these where no rule decided. */
    static const char *const reserved[] = { "read", "feed", "allow" };
    const size_t n = strlen(text);

    if (n == 0 || n >= EGRESS_NAME_SIZE || strspn(text, LOWER UPPER DIGITS "-_.") != n)
        return refuse(
            reason, "\"%.64s\" is not the name of a rule; use 1 to %d letters, digits, -, _ and .",
            text, EGRESS_NAME_SIZE - 1);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(text, reserved[i]) == 0)
            return refuse(reason, "\"%s\" stands for itself in the log; choose another name", text);
    return 0;
}

int rule_egress_host(const char *text, struct reason *reason)
{
    const char *colon = strrchr(text, ':');
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    char name[256];
    uint64_t port;

    if (strchr(text, '*'))
        return refuse(reason,
                      "\"%.128s\" has a wildcard; what is sent goes to hosts that are named one by "
                      "one",
                      text);
    if (colon && (parse_number(colon + 1, UINT16_MAX, &port) < 0 || port == 0))
        return refuse(reason, "port \"%.64s\" is out of range; use 1 to 65535", colon + 1);
    if (n >= sizeof name)
        return refuse(reason, "\"%.128s\" is too long for the name of a host", text);
    memcpy(name, text, n);
    name[n] = '\0';
    return rule_allowed_host(name, reason);
}

int rule_egress_method(const char *text, struct reason *reason)
{
    const size_t n = strlen(text);

    if (n == 0 || n > 32 || strspn(text, UPPER "-") != n)
        return refuse(reason, "\"%.64s\" is not a method; write it as it is sent, as in POST",
                      text);
    /* A tunnel is not a request to its host, and a TRACE shows what the proxy adds. */
    if (strcmp(text, "CONNECT") == 0 || strcmp(text, "TRACE") == 0)
        return refuse(reason, "%s is never passed on; remove it", text);
    return 0;
}

/* Enough for a program that fetches it: nothing that a URL has not, RFC 3986, 2, no name and
 * password before the host, and no fragment. */
int rule_egress_url(const char *text, struct reason *reason)
{
    const char *host = strncmp(text, "https://", 8) == 0  ? text + 8
                       : strncmp(text, "http://", 7) == 0 ? text + 7
                                                          : "";
    const size_t n = strcspn(host, "/?");

    if (n == 0 || memchr(host, '@', n) || strlen(text) > 1024 ||
        strspn(host, UPPER LOWER DIGITS "-._~:/?[]@!$&'()*+,;=%") != strlen(host))
        return refuse(reason, "\"%.128s\" is not a URL that can be fetched; use https://HOST/PATH",
                      text);
    return 0;
}

static bool is_double_star(const char *segment, size_t size)
{
    return size == 2 && segment[0] == '*' && segment[1] == '*';
}

int rule_egress_path(const char *text, struct reason *reason)
{
    char normal[EGRESS_PATTERN_MAX + 1];
    size_t size = strlen(text);

    if (size > EGRESS_PATTERN_MAX)
        return refuse(reason, "a path of more than %d bytes; shorten it with * or **",
                      EGRESS_PATTERN_MAX);
    memcpy(normal, text, size + 1);
    if (egress_normalise_path(normal, &size) < 0)
        return refuse(
            reason,
            "\"%.128s\" is not a path; it begins with / and has no query, no #, no space, "
            "and two hex digits after each %%",
            text);
    normal[size] = '\0';
    if (strcmp(normal, text) != 0)
        return refuse(reason, "\"%.128s\" would never match; write %.128s, as it is sent", text,
                      normal);
    for (const char *segment = text + 1;; segment++) {
        const size_t n = strcspn(segment, "/");

        if (n == 0 && segment[0] == '/')
            return refuse(reason,
                          "\"%.128s\" has an empty segment, which is never matched; write "
                          "/ for //",
                          text);
        if (memmem(segment, n, "**", 2) && !is_double_star(segment, n))
            return refuse(
                reason,
                "\"%.128s\" has ** beside other characters; it stands for whole segments, "
                "as in /a/**/b",
                text);
        segment += n;
        if (*segment == '\0')
            return 0;
    }
}
