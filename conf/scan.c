/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"

struct scanner {
    const char *file;
    const char *at, *end;
    unsigned line;
    struct problems *problems;

    char *out; /* the section so far */
    size_t used, size;
    unsigned out_line;   /* line of out[0] */
    unsigned first_line; /* line of its first word; 0: nothing but space yet */
    unsigned depth;
    unsigned open_line; /* of the brace that opened the section */
    bool append;        /* += was seen, its brace is still to come */
    bool refused;
};

static int put(struct scanner *s, const char *bytes, size_t n)
{
    if (s->used + n + 1 > s->size) {
        size_t size = (s->used + n + 1) * 2;
        char *out = realloc(s->out, size);
        if (!out)
            return -ENOMEM;
        s->out = out;
        s->size = size;
    }
    memcpy(s->out + s->used, bytes, n);
    s->used += n;
    s->out[s->used] = '\0';
    return 0;
}

static void refuse_at(struct scanner *s, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void refuse_at(struct scanner *s, unsigned line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    problem_v(s->problems, s->file, line, format, arguments);
    va_end(arguments);
    s->refused = true;
}

/* What may stand outside of quotes: all of it means the same to libconfuse's scanner. The
 * C library's own classes would depend on the locale. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr(" \t\n{}=,._:/-", c));
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Bytes of the character at p, 0 when it is not UTF-8 (RFC 3629, section 4). */
static size_t utf8_size(const unsigned char *p, const unsigned char *end)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t size;
    } forms[] = {
        { 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
        { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*p < forms[i].first || *p > forms[i].last)
            continue;
        if ((size_t)(end - p) < forms[i].size)
            return 0;
        for (size_t n = 1; n < forms[i].size; n++)
            if (p[n] < (n == 1 ? forms[i].low : 0x80) || p[n] > (n == 1 ? forms[i].high : 0xbf))
                return 0;
        return forms[i].size;
    }
    return 0;
}

/* Refuses the character at p in a string, or says how many bytes it takes there. */
static size_t scan_character(struct scanner *s, const char *p, char quote)
{
    const size_t size = utf8_size((const unsigned char *)p, (const unsigned char *)s->end);
    const char next = p + 1 < s->end ? p[1] : '\0';

    if (size == 0)
        refuse_at(s, s->line, "byte 0x%02x in a string is not UTF-8; save the file as UTF-8",
                  (unsigned char)*p);
    else if ((unsigned char)*p < ' ' || *p == 0x7f)
        refuse_at(s, s->line, "control character 0x%02x in a string; remove it", (unsigned char)*p);
    else if (*p == '$' && next == '{')
        refuse_at(s, s->line,
                  "${...} in a string: the environment is not consulted; write the value itself, "
                  "or \"\\${\" for these characters");
    else if (*p == '\\' && quote == '"') {
        if (next == '\\' || next == '"' || next == '$')
            return 2;
        refuse_at(s, s->line,
                  "a backslash in double quotes stands before one of \\ \" $ only; write \\\\ for "
                  "a backslash");
    } else if (*p == '\\' && (next == '\\' || next == '\''))
        return 2;
    return size > 0 ? size : 1;
}

/* The string that begins at s->at, quotes included. */
static int scan_string(struct scanner *s)
{
    const char quote = *s->at, *p = s->at + 1;
    int r = 0;

    if (s->append)
        refuse_at(s, s->line, "+= without a list; write { } around the values");
    s->append = false;
    while (p < s->end && *p != quote && *p != '\n')
        p += scan_character(s, p, quote);
    if (p < s->end && *p == quote) {
        p++;
        r = put(s, s->at, (size_t)(p - s->at));
    } else
        refuse_at(s, s->line, "the string is not closed on its line; end it with %c", quote);
    s->at = p;
    return r;
}

/* One character that is neither in a string nor in a comment. */
static int scan_plain(struct scanner *s)
{
    const char c = *s->at++;

    if (c == '+') {
        if (s->at >= s->end || *s->at != '=') {
            refuse_at(s, s->line, "+ stands for += only, with no space between");
            return 0;
        }
        s->at++;
        s->append = true;
        return put(s, "+=", 2);
    }
    if (c == '/' && s->at < s->end && (*s->at == '/' || *s->at == '*')) {
        refuse_at(s, s->line,
                  "/%c outside of quotes; a comment begins with #, and a value with "
                  "such characters is written in quotes",
                  *s->at);
        s->at++;
        return 0;
    }
    if (!is_plain(c)) {
        if ((unsigned char)c < ' ' || (unsigned char)c >= 0x7f)
            refuse_at(s, s->line,
                      "character 0x%02x outside of quotes; remove it or put the value "
                      "in quotes",
                      (unsigned char)c);
        else
            refuse_at(s, s->line, "'%c' outside of quotes; put the value in quotes", c);
        return 0;
    }
    if (c == '{' && s->depth++ == 0)
        s->open_line = s->line;
    if (s->append && !is_space(c)) {
        s->append = false;
        if (c == '{')
            return put(s, "{\"" SCAN_APPEND_MARK "\",", 5);
        refuse_at(s, s->line, "+= without a list; write { } around the values");
    }
    return put(s, &c, 1);
}

static int end_section(struct scanner *s,
                       int (*section)(const struct scan_section *section, void *userdata),
                       void *userdata)
{
    int r = 0;

    if (s->first_line > 0)
        r = section(
            &(struct scan_section){
                .text = s->refused ? NULL : s->out,
                .line = s->out_line,
                .start = s->first_line,
            },
            userdata);
    s->used = 0;
    s->out_line = s->line;
    s->first_line = 0;
    s->append = s->refused = false;
    return r;
}

int scan_sections(const char *file, const char *text, size_t size, struct problems *problems,
                  int (*section)(const struct scan_section *section, void *userdata),
                  void *userdata)
{
    struct scanner s = {
        .file = file,
        .at = text,
        .end = text + size,
        .line = 1,
        .out_line = 1,
        .problems = problems,
    };
    int r = 0;

    while (r == 0 && s.at < s.end) {
        const char c = *s.at;

        if (c == '#') {
            while (s.at < s.end && *s.at != '\n')
                s.at++;
            continue;
        }
        if (s.first_line == 0 && !is_space(c))
            s.first_line = s.line;
        if (c == '"' || c == '\'') {
            r = scan_string(&s);
            continue;
        }
        if (c == '}' && s.depth == 0) {
            refuse_at(&s, s.line, "} closes nothing; remove it, or open the section with {");
            s.at++;
            r = end_section(&s, section, userdata);
            continue;
        }
        r = scan_plain(&s);
        if (c == '\n')
            s.line++;
        if (r == 0 && c == '}' && --s.depth == 0)
            r = end_section(&s, section, userdata);
    }
    if (r == 0 && s.depth > 0)
        refuse_at(&s, s.open_line, "the section that begins here is not closed; end it with }");
    if (r == 0)
        r = end_section(&s, section, userdata);
    free(s.out);
    return r;
}
