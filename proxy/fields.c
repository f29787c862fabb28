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

bool field_may_trail(struct slice name)
{
    static const char *const never[] = {
        "authorization", "cache-control", "content-encoding", "content-range",
        "content-type",  "cookie",        "max-forwards",     "range",
        "set-cookie",    "trailer",       "location",         "www-authenticate",
    };

    if (field_use(name) != FIELD_PASS)
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
