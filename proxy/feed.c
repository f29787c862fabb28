/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/feed.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"

/* RFC 1035, 2.3.4, as text. */
#define MAX_NAME 253
#define MAX_LABEL 63

struct feed {
    unsigned references;
    size_t n;
    char *names; /* one after the other, each with its NUL; the first byte of all is not used */
    size_t names_used, names_size;
    uint32_t *slots; /* offset of a name, 0: free. Twice as many as names at least */
    size_t n_slots;  /* a power of two */
};

/* FNV-1a from the last byte to the first: a name's hash is on the way to that of each name below
 * it.
 */
#define HASH_BEGIN 2166136261U

static uint32_t hash_byte(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619U;
}

static uint32_t hash_name(const char *name, size_t size)
{
    uint32_t hash = HASH_BEGIN;

    while (size > 0)
        hash = hash_byte(hash, name[--size]);
    return hash;
}

/* The slot that has the name, or the free one where it belongs. */
static size_t find_slot(const struct feed *feed, uint32_t hash, const char *name, size_t size)
{
    /* The low bits of FNV's last step depend on the low bits of all bytes alone. */
    size_t slot = (hash ^ hash >> 15) & (feed->n_slots - 1);

    for (;; slot = (slot + 1) & (feed->n_slots - 1)) {
        const char *other = feed->names + feed->slots[slot];

        if (feed->slots[slot] == 0 || (strncmp(other, name, size) == 0 && other[size] == '\0'))
            return slot;
    }
}

static int grow(struct feed *feed)
{
    const size_t n_slots = feed->n_slots ? feed->n_slots * 2 : 64;
    uint32_t *slots = calloc(n_slots, sizeof *slots);

    if (!slots)
        return -ENOMEM;
    free(feed->slots);
    feed->slots = slots;
    feed->n_slots = n_slots;
    for (size_t at = 1, size; at < feed->names_used; at += size + 1) {
        size = strlen(feed->names + at);
        slots[find_slot(feed, hash_name(feed->names + at, size), feed->names + at, size)] =
            (uint32_t)at;
    }
    return 0;
}

/* Room for one more name, in either. */
static int reserve(struct feed *feed)
{
    if (feed->names_used + MAX_NAME + 1 > feed->names_size) {
        const size_t size = feed->names_size + feed->names_size / 2 + 4096;
        char *names = realloc(feed->names, size);
        if (!names)
            return -ENOMEM;
        feed->names = names;
        feed->names_size = size;
    }
    return 2 * (feed->n + 1) > feed->n_slots ? grow(feed) : 0;
}

static int add(struct feed *feed, const char *name, size_t size)
{
    size_t slot;
    int r = reserve(feed);

    if (r < 0)
        return r;
    slot = find_slot(feed, hash_name(name, size), name, size);
    if (feed->slots[slot] != 0)
        return 0;
    memcpy(feed->names + feed->names_used, name, size);
    feed->names[feed->names_used + size] = '\0';
    feed->slots[slot] = (uint32_t)feed->names_used;
    feed->names_used += size + 1;
    feed->n++;
    return 0;
}

/* The address that text is, as inet_ntop(3) writes it; 0: it is none. */
static size_t read_address(const char *text, char address[static INET6_ADDRSTRLEN])
{
    uint8_t bytes[16];
    const int family = strchr(text, ':') ? AF_INET6 : AF_INET;

    if (inet_pton(family, text, bytes) != 1)
        return 0;
    inet_ntop(family, bytes, address, INET6_ADDRSTRLEN);
    return strlen(address);
}

/* Brings a name into its one form, in place, and returns its size; 0: it is no name. */
static size_t read_name(char *name)
{
    size_t size = strlen(name), label = 0;

    if (size > 0 && name[size - 1] == '.')
        size--;
    if (size == 0 || size > MAX_NAME)
        return 0;
    for (size_t i = 0; i < size; i++) {
        const char c = name[i];

        if (c == '.' ? label == 0 : ++label > MAX_LABEL)
            return 0;
        if (c == '.')
            label = 0;
        else if (c >= 'A' && c <= 'Z')
            name[i] = (char)(c - 'A' + 'a');
        else if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return 0;
    }
    name[size] = '\0';
    return label == 0 ? 0 : size;
}

/* Returns 1 when the line is understood, 0 when not, -ENOMEM. */
static int add_line(struct feed *feed, char *line)
{
    char address[INET6_ADDRSTRLEN], *rest;
    const char *first;
    char *name;
    size_t size;
    int r = 1;

    line[strcspn(line, "#")] = '\0';
    if (strncmp(line, "*.", 2) == 0)
        line += 2;
    rest = line;
    first = strsep(&rest, " \t");
    name = rest ? rest + strspn(rest, " \t") : NULL;
    size = read_address(first, address);
    if (!name || !*name) {
        if (size == 0 && !*first)
            return 1;
        if (size > 0)
            r = add(feed, address, size);
        else if ((size = read_name(line)) > 0)
            r = strchr(line, '.') ? add(feed, line, size) : 0;
        else
            return 0;
        return r < 0 ? r : 1;
    }
    if (size == 0)
        return 0;
    while (r >= 0 && (name = strsep(&rest, " \t"))) {
        if (!*name)
            continue;
        size = read_name(name);
        if (size == 0)
            return 0;
        if (strchr(name, '.'))
            r = add(feed, name, size);
    }
    return r < 0 ? r : 1;
}

/* Longer than any line that could be right: a few names at most stand on one. */
#define MAX_LINE 1024

int feed_parse(const char *text, size_t size, struct feed **ret, unsigned *line)
{
    _cleanup_(feed_unrefp) struct feed *feed = calloc(1, sizeof *feed);
    const char *const end = text + size;
    unsigned n_lines = 0, n_wrong = 0;

    if (!feed)
        return -ENOMEM;
    feed->references = 1;
    feed->names_used = 1;
    *line = 0;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
        char copy[MAX_LINE + 1];
        int r = 0;

        n_lines++;
        if (n > 0 && text[n - 1] == '\r')
            n--;
        if (n <= MAX_LINE && !memchr(text, '\0', n)) {
            memcpy(copy, text, n);
            copy[n] = '\0';
            r = add_line(feed, copy + strspn(copy, " \t"));
        }
        if (r < 0)
            return r;
        if (r == 0 && n_wrong++ == 0)
            *line = n_lines;
        text = newline ? newline + 1 : end;
    }
    if (n_wrong > n_lines / 100)
        return -EBADMSG;
    /* Nothing is added any more. */
    char *fitting = realloc(feed->names, feed->names_used);
    if (fitting)
        feed->names = fitting;
    *ret = steal_ptr(feed);
    return 0;
}

struct feed *feed_ref(struct feed *feed)
{
    if (feed)
        feed->references++;
    return feed;
}

void feed_unref(struct feed *feed)
{
    if (!feed || --feed->references > 0)
        return;
    free(feed->names);
    free(feed->slots);
    free(feed);
}

size_t feed_count(const struct feed *feed)
{
    return feed->n;
}

bool feed_has(const struct feed *feed, const char *host)
{
    const size_t size = strlen(host);
    uint32_t hash = HASH_BEGIN;

    if (feed->n == 0)
        return false;
    for (size_t i = size; i > 0; i--) {
        hash = hash_byte(hash, host[i - 1]);
        if ((i == 1 || host[i - 2] == '.') &&
            feed->slots[find_slot(feed, hash, host + i - 1, size - i + 1)] != 0)
            return true;
    }
    return false;
}
