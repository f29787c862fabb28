/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/egress-path.h"

#include <errno.h>
#include <string.h>

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* RFC 3986, 2.3. */
static bool is_unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

/* In place; -EBADMSG as for egress_normalise_path(). */
static int decode_unreserved(char *path, size_t *size)
{
    size_t out = 0;

    for (size_t i = 0; i < *size;) {
        const unsigned char c = (unsigned char)path[i];

        if (c <= ' ' || c == 0x7f || c == '?' || c == '#')
            return -EBADMSG;
        if (c != '%') {
            path[out++] = path[i++];
            continue;
        }
        if (*size - i < 3 || hex(path[i + 1]) < 0 || hex(path[i + 2]) < 0)
            return -EBADMSG;

        const unsigned char decoded = (unsigned char)(hex(path[i + 1]) << 4 | hex(path[i + 2]));
        if (is_unreserved(decoded))
            path[out++] = (char)decoded;
        else {
            memmove(path + out, path + i, 3);
            out += 3;
        }
        i += 3;
    }
    *size = out;
    return 0;
}

static bool is_dots(const char *segment, size_t size)
{
    return size > 0 && size <= 2 && segment[0] == '.' && segment[size - 1] == '.';
}

/* The path is a sequence of '/' and a segment. ".." takes the one before away, and a dot segment at
 * the end leaves an empty one. */
static void remove_dot_segments(char *path, size_t *size)
{
    size_t out = 0;

    for (size_t i = 0; i < *size;) {
        const char *segment = path + i + 1;
        const char *end = memchr(segment, '/', *size - i - 1);
        const size_t n = end ? (size_t)(end - segment) : *size - i - 1;
        const bool last = !end;

        i += n + 1;
        if (!is_dots(segment, n)) {
            memmove(path + out, segment - 1, n + 1);
            out += n + 1;
            continue;
        }
        if (n == 2)
            while (out > 0 && path[--out] != '/')
                ;
        if (last)
            path[out++] = '/';
    }
    *size = out;
}

int egress_normalise_path(char *path, size_t *size)
{
    int r;

    if (*size == 0 || path[0] != '/')
        return -EBADMSG;
    r = decode_unreserved(path, size);
    if (r == 0)
        remove_dot_segments(path, size);
    return r;
}

/* One character of a segment: a byte, or %XX as a whole. */
static size_t unit_size(const char *p, const char *end)
{
    return *p == '%' && end - p >= 3 ? 3 : 1;
}

static bool same_unit(const char *a, const char *b, size_t size)
{
    if (size == 1)
        return *a == *b;
    /* %2f is %2F: RFC 3986, 6.2.2.1. */
    return hex(a[1]) == hex(b[1]) && hex(a[2]) == hex(b[2]);
}

/* What a wildcard may stand for: characters that mean themselves to every server. Not so:
 * '/' '\' and ';' encoded, which some decode before they split the path, and others do not; '%',
 * which some decode twice; '?' and '#' likewise; ';' itself, after which some ignore the rest of a
 * segment, even of "..;"; controls; bytes that are no URI's, and what is never UTF-8. */
static bool is_plain(const char *p, size_t size)
{
    if (size == 1)
        return is_unreserved((unsigned char)*p) || (*p && strchr("!$&'()*+,=:@", *p));

    const unsigned char c = (unsigned char)(hex(p[1]) << 4 | hex(p[2]));
    return c >= ' ' && c != 0x7f && !strchr("/\\;%?#.", c) && c != 0xc0 && c != 0xc1 && c < 0xf5;
}

static bool is_plain_segment(const char *p, const char *end)
{
    if (p == end || is_dots(p, (size_t)(end - p)))
        return false;
    for (size_t n; p < end; p += n) {
        n = unit_size(p, end);
        if (!is_plain(p, n))
            return false;
    }
    return true;
}

/* The last '*' alone needs to be tried again with more: what stands before it was matched as far to
 * the left as it can be, which leaves most to the rest. */
static bool match_segment(const char *pattern, const char *pattern_end, const char *p,
                          const char *end)
{
    const char *star = NULL, *star_p = NULL;

    if (pattern_end - pattern == 1 && *pattern == '*')
        return is_plain_segment(p, end);
    while (p < end) {
        const size_t n = unit_size(p, end);

        if (pattern < pattern_end && *pattern == '*') {
            star = ++pattern;
            star_p = p;
            continue;
        }
        if (pattern < pattern_end && unit_size(pattern, pattern_end) == n &&
            same_unit(pattern, p, n)) {
            pattern += n;
            p += n;
            continue;
        }
        if (!star)
            return false;
        const size_t swallowed = unit_size(star_p, end);
        if (!is_plain(star_p, swallowed))
            return false;
        star_p += swallowed;
        p = star_p;
        pattern = star;
    }
    while (pattern < pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

static const char *segment_end(const char *p, const char *end)
{
    const char *slash = memchr(p, '/', (size_t)(end - p));

    return slash ? slash : end;
}

static bool is_double_star(const char *pattern, const char *end)
{
    return end - pattern == 2 && pattern[0] == '*' && pattern[1] == '*';
}

/* Likewise, with segments for characters. Both pointers stand on a segment's '/', or at the end. */
bool egress_match_path(const char *pattern, const char *path, size_t size)
{
    const char *const end = path + size, *const pattern_end = pattern + strlen(pattern);
    const char *star = NULL, *star_p = NULL;

    if (size == 0 || *path != '/')
        return false;
    while (path < end) {
        const char *const p_end = segment_end(path + 1, end);

        if (pattern < pattern_end) {
            const char *const next = segment_end(pattern + 1, pattern_end);

            if (is_double_star(pattern + 1, next)) {
                if (!is_plain_segment(path + 1, p_end))
                    goto retry;
                star = pattern = next;
                star_p = path = p_end;
                continue;
            }
            if (match_segment(pattern + 1, next, path + 1, p_end)) {
                pattern = next;
                path = p_end;
                continue;
            }
        }
    retry:
        if (!star || star_p == end)
            return false;
        const char *const swallowed = segment_end(star_p + 1, end);
        if (!is_plain_segment(star_p + 1, swallowed))
            return false;
        star_p = path = swallowed;
        pattern = star;
    }
    return pattern == pattern_end;
}
