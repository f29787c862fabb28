/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/types.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"

#define FIELD(option, target, type) ((type *)((char *)(target) + (option)->offset))
#define CONST_FIELD(option, target, type)                                                          \
    ((type const *)((const char *)(target) + (option)->offset))
#define COUNT(option, target) ((size_t *)((char *)(target) + (option)->count_offset))
#define CONST_COUNT(option, target)                                                                \
    ((const size_t *)((const char *)(target) + (option)->count_offset))

int parse_number(const char *text, uint64_t max, uint64_t *ret)
{
    uint64_t n = 0;

    if (!*text || (text[0] == '0' && text[1]))
        return -EINVAL;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        if (__builtin_mul_overflow(n, 10U, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
            n = UINT64_MAX;
        if (n > max)
            return -ERANGE;
    }
    *ret = n;
    return 0;
}

static size_t count_one(const struct option *option, const void *target)
{
    (void)option;
    (void)target;
    return 1;
}

/* Bool. */

static int read_bool(const struct option *option, const char *text, void *target,
                     struct reason *reason)
{
    bool *field = FIELD(option, target, bool);

    if (strcmp(text, "true") == 0)
        *field = true;
    else if (strcmp(text, "false") == 0)
        *field = false;
    else
        return refuse(reason, "\"%s\" is neither true nor false", text);
    return 0;
}

static void write_bool(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)index;
    fputs(*CONST_FIELD(option, target, bool) ? "true" : "false", out);
}

static void clear_bool(const struct option *option, void *target)
{
    *FIELD(option, target, bool) = false;
}

const struct option_type type_bool = {
    .read = read_bool,
    .write = write_bool,
    .count = count_one,
    .clear = clear_bool,
};

/* User id. 0 is no user id here: the option was never set. */

static int read_uid(const struct option *option, const char *text, void *target,
                    struct reason *reason)
{
    uint64_t n;

    if (parse_number(text, option->max, &n) < 0 || n < option->min)
        return refuse(reason, "\"%s\" is not the id of a regular user; use %" PRIu64 " to %" PRIu64,
                      text, option->min, option->max);
    *FIELD(option, target, uid_t) = (uid_t)n;
    return 0;
}

static void write_uid(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)index;
    fprintf(out, "%u", *CONST_FIELD(option, target, uid_t));
}

static size_t count_uid(const struct option *option, const void *target)
{
    return *CONST_FIELD(option, target, uid_t) != 0;
}

static void clear_uid(const struct option *option, void *target)
{
    *FIELD(option, target, uid_t) = 0;
}

const struct option_type type_uid = {
    .read = read_uid,
    .write = write_uid,
    .count = count_uid,
    .clear = clear_uid,
};

/* Range of ids. */

static int read_id_range(const struct option *option, const char *text, void *target,
                         struct reason *reason)
{
    struct config_id_range *field = FIELD(option, target, struct config_id_range);
    const char *colon = strchr(text, ':');
    uint64_t start, count;
    char first[16];

    if (!*text) {
        *field = (struct config_id_range){ 0 };
        return 0;
    }
    if (!colon || (size_t)(colon - text) >= sizeof first)
        return refuse(reason, "\"%s\" is not START:COUNT, as in 1785000000:65536", text);
    memcpy(first, text, (size_t)(colon - text));
    first[colon - text] = '\0';
    if (parse_number(first, UINT32_MAX, &start) < 0 ||
        parse_number(colon + 1, UINT32_MAX, &count) < 0)
        return refuse(reason, "\"%s\" is not START:COUNT, as in 1785000000:65536", text);
    if (count == 0)
        return refuse(reason, "\"%s\" has no ids; use a count of 65536, or \"\" for none", text);
    if (start < option->min || start + count - 1 > option->max)
        return refuse(reason,
                      "\"%s\" goes outside of the ids for containers; stay within %" PRIu64
                      " to %" PRIu64,
                      text, option->min, option->max);
    *field = (struct config_id_range){ .start = (uint32_t)start, .count = (uint32_t)count };
    return 0;
}

static void write_id_range(const struct option *option, const void *target, size_t index, FILE *out)
{
    const struct config_id_range *field = CONST_FIELD(option, target, struct config_id_range);

    (void)index;
    fprintf(out, "\"%" PRIu32 ":%" PRIu32 "\"", field->start, field->count);
}

static size_t count_id_range(const struct option *option, const void *target)
{
    return CONST_FIELD(option, target, struct config_id_range)->count != 0;
}

static void clear_id_range(const struct option *option, void *target)
{
    *FIELD(option, target, struct config_id_range) = (struct config_id_range){ 0 };
}

const struct option_type type_id_range = {
    .read = read_id_range,
    .write = write_id_range,
    .count = count_id_range,
    .clear = clear_id_range,
};

/* Numbers with units. A word stands for "not limited", so that a later file can say it. */

struct unit {
    const char *name;
    uint64_t factor;
};

#define SECOND 1000000ULL

static const struct unit size_units[] = {
    { "T", 1ULL << 40 }, { "G", 1ULL << 30 }, { "M", 1ULL << 20 },
    { "K", 1ULL << 10 }, { "", 1 },           { NULL, 0 },
};

/* systemd.time(7): m is minutes there too, but means months to some. */
static const struct unit time_units[] = {
    { "d", 24 * 3600 * SECOND },
    { "h", 3600 * SECOND },
    { "min", 60 * SECOND },
    { "s", SECOND },
    { "", SECOND },
    { NULL, 0 },
};

static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };

static int parse_with_unit(const char *text, const struct unit *units, uint64_t *ret)
{
    const size_t digits = strspn(text, "0123456789");
    char number[24];
    uint64_t n;

    if (digits == 0 || digits >= sizeof number)
        return -EINVAL;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (parse_number(number, UINT64_MAX - 1, &n) < 0)
        return -EINVAL;
    for (; units->name; units++)
        if (strcmp(text + digits, units->name) == 0)
            return __builtin_mul_overflow(n, units->factor, ret) ? -EINVAL : 0;
    return -EINVAL;
}

static void write_with_unit(uint64_t n, const struct unit *units, FILE *out)
{
    while (units->factor > 1 && (n == 0 || n % units->factor != 0))
        units++;
    fprintf(out, *units->name ? "\"%" PRIu64 "%s\"" : "%" PRIu64 "%s", n / units->factor,
            units->name);
}

static int read_limit(const struct option *option, const char *text, void *target,
                      const struct unit *units, const char *unlimited, const char *like,
                      struct reason *reason)
{
    uint64_t *field = FIELD(option, target, uint64_t), n;

    if (strcmp(text, unlimited) == 0) {
        *field = CONFIG_UNLIMITED;
        return 0;
    }
    if (parse_with_unit(text, units, &n) < 0)
        return refuse(reason, "\"%s\" is not %s; or use \"%s\"", text, like, unlimited);
    if (n < option->min || n > option->max) {
        _cleanup_free_ char *range = NULL;
        size_t size;
        FILE *out = open_memstream(&range, &size);
        if (!out)
            return -ENOMEM;
        write_with_unit(option->min, units, out);
        fputs(" to ", out);
        write_with_unit(option->max, units, out);
        if (fclose(out) != 0)
            return -ENOMEM;
        return refuse(reason, "\"%s\" is out of range; use %s, or \"%s\"", text, range, unlimited);
    }
    *field = n;
    return 0;
}

static void write_limit(const struct option *option, const void *target, const struct unit *units,
                        const char *unlimited, FILE *out)
{
    const uint64_t n = *CONST_FIELD(option, target, uint64_t);

    if (n == CONFIG_UNLIMITED)
        fprintf(out, "\"%s\"", unlimited);
    else
        write_with_unit(n, units, out);
}

static void clear_limit(const struct option *option, void *target)
{
    *FIELD(option, target, uint64_t) = CONFIG_UNLIMITED;
}

#define LIMIT_TYPE(name, units, unlimited, like)                                                   \
    static int read_##name(const struct option *option, const char *text, void *target,            \
                           struct reason *reason)                                                  \
    {                                                                                              \
        return read_limit(option, text, target, units, unlimited, like, reason);                   \
    }                                                                                              \
    static void write_##name(const struct option *option, const void *target, size_t index,        \
                             FILE *out)                                                            \
    {                                                                                              \
        (void)index;                                                                               \
        write_limit(option, target, units, unlimited, out);                                        \
    }                                                                                              \
    const struct option_type type_##name = {                                                       \
        .read = read_##name,                                                                       \
        .write = write_##name,                                                                     \
        .count = count_one,                                                                        \
        .clear = clear_limit,                                                                      \
    }

LIMIT_TYPE(number, no_units, "infinity", "a number");
LIMIT_TYPE(size, size_units, "infinity", "a size in bytes, K, M, G or T, as in \"8G\"");
LIMIT_TYPE(time, time_units, "infinity", "a time in s, min, h or d, as in \"6h\"");
LIMIT_TYPE(weight, no_units, "default", "a number");

/* Text, and lists of it. */

/* As libconfuse reads it again: $ could begin a substitution. */
static void write_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (strchr("\\\"$", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void clear_text(const struct option *option, void *target)
{
    char **field = FIELD(option, target, char *);

    free(*field);
    *field = NULL;
}

static int read_text(const struct option *option, const char *text, void *target,
                     struct reason *reason)
{
    int r;

    if (!*text) {
        clear_text(option, target);
        return 0;
    }
    r = option->check ? option->check(text, reason) : 0;
    if (r < 0)
        return r;

    char *copy = strdup(text);
    if (!copy)
        return -ENOMEM;
    clear_text(option, target);
    *FIELD(option, target, char *) = copy;
    return 0;
}

static void write_text(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)index;
    write_quoted(*CONST_FIELD(option, target, char *) ?: "", out);
}

/* Where no value has to be told from the one that stands there when it is set nowhere, it is one.
 */
static size_t count_text(const struct option *option, const void *target)
{
    return option->fallback || *CONST_FIELD(option, target, char *);
}

const struct option_type type_text = {
    .read = read_text,
    .write = write_text,
    .count = count_text,
    .clear = clear_text,
};

static size_t count_texts(const struct option *option, const void *target)
{
    char *const *list = *CONST_FIELD(option, target, char **);
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

static int read_texts(const struct option *option, const char *text, void *target,
                      struct reason *reason)
{
    char ***field = FIELD(option, target, char **);
    const size_t n = count_texts(option, target);
    int r = option->check ? option->check(text, reason) : 0;
    if (r < 0)
        return r;
    for (size_t i = 0; i < n; i++)
        if (strcmp((*field)[i], text) == 0)
            return -EALREADY;
    if (n >= option->max)
        return refuse(reason, "more than %" PRIu64 " entries; remove some", option->max);

    char **list = reallocarray(*field, n + 2, sizeof *list);
    if (!list)
        return -ENOMEM;
    *field = list;
    list[n] = strdup(text);
    list[n + 1] = NULL;
    return list[n] ? 0 : -ENOMEM;
}

static void write_texts(const struct option *option, const void *target, size_t index, FILE *out)
{
    write_quoted((*CONST_FIELD(option, target, char **))[index], out);
}

static void clear_texts(const struct option *option, void *target)
{
    char ***field = FIELD(option, target, char **);

    cleanup_strvp(field);
    *field = NULL;
}

const struct option_type type_texts = {
    .read = read_texts,
    .write = write_texts,
    .count = count_texts,
    .clear = clear_texts,
    .list = true,
};

/* Lists that keep their number of elements beside them. */

static size_t count_counted(const struct option *option, const void *target)
{
    return *CONST_COUNT(option, target);
}

static void clear_counted(const struct option *option, void *target)
{
    void **field = FIELD(option, target, void *);

    free(*field);
    *field = NULL;
    *COUNT(option, target) = 0;
}

static int append_counted(const struct option *option, void *target, const void *element,
                          size_t size, struct reason *reason)
{
    void **field = FIELD(option, target, void *);
    size_t *n = COUNT(option, target);

    for (size_t i = 0; i < *n; i++)
        if (memcmp((char *)*field + i * size, element, size) == 0)
            return -EALREADY;
    if (*n >= option->max)
        return refuse(reason, "more than %" PRIu64 " entries; remove some", option->max);
    void *list = reallocarray(*field, *n + 1, size);
    if (!list)
        return -ENOMEM;
    memcpy((char *)list + *n * size, element, size);
    *field = list;
    ++*n;
    return 0;
}

/* An address that is one, and one machine's. */
static int rule_address(const struct config_endpoint *endpoint, const char *text,
                        struct reason *reason)
{
    static const uint8_t zero[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
    const uint8_t *address = endpoint->address;

    if (endpoint->family == AF_INET6 && memcmp(address, mapped, sizeof mapped) == 0)
        return refuse(reason, "\"%s\" is an IPv4 address in IPv6 clothes; write A.B.C.D:PORT",
                      text);
    if (endpoint->family == AF_INET ? address[0] == 0 : memcmp(address, zero, 16) == 0)
        return refuse(reason, "\"%s\" stands for this host; write the address itself", text);
    if (endpoint->family == AF_INET ? address[0] >= 224 : address[0] == 0xff)
        return refuse(reason, "\"%s\" is not the address of one host; use another", text);
    return 0;
}

static int read_endpoint(const struct option *option, const char *text, void *target,
                         struct reason *reason)
{
    static const char form[] = "A.B.C.D:PORT or [IPV6]:PORT";
    struct config_endpoint endpoint;
    const bool v6 = *text == '[';
    const char *colon = strrchr(text, ':'), *first = v6 ? text + 1 : text;
    char address[INET6_ADDRSTRLEN];
    uint64_t port;

    if (!colon || (v6 && (colon < first + 1 || colon[-1] != ']')))
        return refuse(reason, "\"%.64s\" is not an address and a port; write %s", text, form);
    const size_t size = (size_t)(colon - first) - v6;
    if (parse_number(colon + 1, UINT16_MAX, &port) < 0 || port == 0)
        return refuse(reason, "port \"%.64s\" is out of range; use 1 to 65535", colon + 1);

    memset(&endpoint, 0, sizeof endpoint); /* padding too: elements are compared as bytes */
    endpoint.family = v6 ? AF_INET6 : AF_INET;
    endpoint.port = (uint16_t)port;
    (void)snprintf(address, sizeof address, "%.*s", (int)size, first);
    if (size >= sizeof address || inet_pton(endpoint.family, address, endpoint.address) != 1)
        return refuse(reason,
                      "\"%.64s\" is not an address in numbers, and names are not looked "
                      "up; write %s",
                      text, form);

    const int r = rule_address(&endpoint, text, reason);
    return r < 0 ? r : append_counted(option, target, &endpoint, sizeof endpoint, reason);
}

static void write_endpoint(const struct option *option, const void *target, size_t index, FILE *out)
{
    const struct config_endpoint *endpoint =
        *CONST_FIELD(option, target, struct config_endpoint *) + index;
    char address[INET6_ADDRSTRLEN];

    inet_ntop(endpoint->family, endpoint->address, address, sizeof address);
    fprintf(out, endpoint->family == AF_INET6 ? "\"[%s]:%u\"" : "\"%s:%u\"", address,
            endpoint->port);
}

const struct option_type type_endpoints = {
    .read = read_endpoint,
    .write = write_endpoint,
    .count = count_counted,
    .clear = clear_counted,
    .list = true,
};

static int parse_port(const char *text, uint16_t *ret, struct reason *reason)
{
    uint64_t n;

    if (parse_number(text, UINT16_MAX, &n) < 0 || n == 0)
        return refuse(reason, "port \"%.64s\" is out of range; use 1 to 65535", text);
    *ret = (uint16_t)n;
    return 0;
}

static int read_ports(const struct option *option, const char *text, void *target,
                      struct reason *reason)
{
    uint16_t port;
    int r = parse_port(text, &port, reason);

    return r < 0 ? r : append_counted(option, target, &port, sizeof port, reason);
}

static void write_ports(const struct option *option, const void *target, size_t index, FILE *out)
{
    fprintf(out, "%u", (*CONST_FIELD(option, target, uint16_t *))[index]);
}

const struct option_type type_ports = {
    .read = read_ports,
    .write = write_ports,
    .count = count_counted,
    .clear = clear_counted,
    .list = true,
};

/* One port. */

static int read_port(const struct option *option, const char *text, void *target,
                     struct reason *reason)
{
    uint16_t port = 0;
    int r = parse_port(text, &port, reason);

    if (r == 0 && (port < option->min || port > option->max))
        r = refuse(reason, "port %u is out of range; use %" PRIu64 " to %" PRIu64, port,
                   option->min, option->max);
    if (r == 0)
        *FIELD(option, target, uint16_t) = port;
    return r;
}

static void write_port(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)index;
    fprintf(out, "%u", *CONST_FIELD(option, target, uint16_t));
}

static size_t count_port(const struct option *option, const void *target)
{
    return *CONST_FIELD(option, target, uint16_t) != 0;
}

static void clear_port(const struct option *option, void *target)
{
    *FIELD(option, target, uint16_t) = 0;
}

const struct option_type type_port = {
    .read = read_port,
    .write = write_port,
    .count = count_port,
    .clear = clear_port,
};
