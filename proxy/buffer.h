/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Bytes that wait. Empty, it owns no memory, so that an idle connection costs none. */

#include <stddef.h>

struct buffer {
    char *data;
    size_t start; /* of what is in it */
    size_t end;
    size_t capacity;
};

static inline size_t buffer_size(const struct buffer *buffer)
{
    return buffer->end - buffer->start;
}

static inline char *buffer_head(const struct buffer *buffer)
{
    return buffer->data ? buffer->data + buffer->start : NULL;
}

/* Room for size bytes more behind buffer->end; the caller writes there and moves end. 0 or
 * -ENOMEM. */
int buffer_reserve(struct buffer *buffer, size_t size);
int buffer_append(struct buffer *buffer, const void *data, size_t size);

/* Takes size bytes off the front; taking the last ones frees the memory. */
void buffer_consume(struct buffer *buffer, size_t size);
void buffer_free(struct buffer *buffer);
