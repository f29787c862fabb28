/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/fields.h"

#include <string.h>

static const struct {
    struct slice name;
    enum field_use use;
} uses[] = {
    { SLICE_INIT("host"), FIELD_FRAMING },
    { SLICE_INIT("content-length"), FIELD_FRAMING },
    { SLICE_INIT("transfer-encoding"), FIELD_FRAMING },
    { SLICE_INIT("connection"), FIELD_DROP },
    { SLICE_INIT("expect"), FIELD_DROP },
    { SLICE_INIT("keep-alive"), FIELD_DROP },
    { SLICE_INIT("proxy-authenticate"), FIELD_DROP },
    { SLICE_INIT("proxy-authentication-info"), FIELD_DROP },
    { SLICE_INIT("proxy-authorization"), FIELD_DROP },
    { SLICE_INIT("proxy-connection"), FIELD_DROP },
    { SLICE_INIT("te"), FIELD_DROP },
    { SLICE_INIT("upgrade"), FIELD_DROP },
    { SLICE_INIT("http2-settings"), FIELD_DROP },
    /* It tells clients of another way to the same origin, mostly UDP (RFC 7838). */
    { SLICE_INIT("alt-svc"), FIELD_DROP },
};

enum field_use field_use(struct slice name)
{
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
        if (slice_equal(name, uses[i].name))
            return uses[i].use;
    return FIELD_PASS;
}

/* Gateways hand a field on as a variable, where '-' is '_' (RFC 3875, 4.1.18), and some take either
 * in the field's name. */
static bool is_alike(struct slice name, const char *other)
{
    if (name.size != strlen(other))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i] == '_' ? '-' : name.data[i];

        if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != other[i])
            return false;
    }
    return true;
}

bool field_overrides_method(struct slice name)
{
    static const char *const names[] = {
        "x-http-method-override",
        "x-http-method",
        "x-method-override",
        "http-method-override",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (is_alike(name, names[i]))
            return true;
    return false;
}

bool field_may_trail(struct slice name)
{
    static const char *const never[] = {
        "authorization", "cache-control", "content-encoding", "content-range",
        "content-type",  "cookie",        "max-forwards",     "range",
        "set-cookie",    "trailer",       "location",         "www-authenticate",
    };

    if (field_use(name) != FIELD_PASS || field_overrides_method(name))
        return false;
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        if (slice_is(name, never[i]))
            return false;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

bool field_next_element(struct slice *rest, struct slice *ret)
{
    while (rest->size > 0) {
        const char *comma = memchr(rest->data, ',', rest->size);
        struct slice element = { rest->data, comma ? (size_t)(comma - rest->data) : rest->size };
        size_t taken = element.size + (comma ? 1 : 0);

        rest->data += taken;
        rest->size -= taken;
        while (element.size > 0 && is_space(element.data[0])) {
            element.data++;
            element.size--;
        }
        while (element.size > 0 && is_space(element.data[element.size - 1]))
            element.size--;
        if (element.size > 0) {
            *ret = element;
            return true;
        }
    }
    return false;
}
