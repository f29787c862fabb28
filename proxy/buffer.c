/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most that is ever written here is a head. */
#define FIRST_CAPACITY 1024

int buffer_reserve(struct buffer *buffer, size_t size)
{
    size_t used = buffer_size(buffer), capacity = buffer->capacity;

    if (capacity - buffer->end >= size)
        return 0;
    if (used + size <= capacity) {
        memmove(buffer->data, buffer_head(buffer), used);
    } else {
        if (capacity == 0)
            capacity = FIRST_CAPACITY;
        while (capacity < used + size)
            capacity *= 2;
        char *data = malloc(capacity);
        if (!data)
            return -ENOMEM;
        if (used > 0)
            memcpy(data, buffer_head(buffer), used);
        free(buffer->data);
        buffer->data = data;
        buffer->capacity = capacity;
    }
    buffer->start = 0;
    buffer->end = used;
    return 0;
}

int buffer_append(struct buffer *buffer, const void *data, size_t size)
{
    if (size == 0)
        return 0;
    int r = buffer_reserve(buffer, size);
    if (r < 0)
        return r;
    memcpy(buffer->data + buffer->end, data, size);
    buffer->end += size;
    return 0;
}

void buffer_consume(struct buffer *buffer, size_t size)
{
    buffer->start += size;
    if (buffer->start == buffer->end)
        buffer_free(buffer);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){ 0 };
}
