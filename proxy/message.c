/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool slice_is(struct slice slice, const char *text)
{
    return strlen(text) == slice.size && strncasecmp(slice.data, text, slice.size) == 0;
}

bool slice_equal(struct slice a, struct slice b)
{
    return a.size == b.size && strncasecmp(a.data, b.data, a.size) == 0;
}

static struct slice put(char **at, struct slice slice)
{
    struct slice copy = { *at, slice.size };

    if (slice.size > 0)
        memcpy(*at, slice.data, slice.size);
    *at += slice.size;
    return copy;
}

int head_copy(const struct head *head, struct head **ret)
{
    size_t text = head->method.size + head->path.size;
    for (size_t i = 0; i < head->n_fields; i++)
        text += head->fields[i].name.size + head->fields[i].value.size;

    struct {
        struct head head;
        struct field fields[];
    } *copy = malloc(sizeof(*copy) + head->n_fields * sizeof(struct field) + text);
    if (!copy)
        return -ENOMEM;

    char *at = (char *)&copy->fields[head->n_fields];
    copy->head = *head;
    copy->head.fields = copy->fields;
    copy->head.method = put(&at, head->method);
    copy->head.path = put(&at, head->path);
    for (size_t i = 0; i < head->n_fields; i++) {
        copy->fields[i].name = put(&at, head->fields[i].name);
        copy->fields[i].value = put(&at, head->fields[i].value);
    }
    *ret = &copy->head;
    return 0;
}
