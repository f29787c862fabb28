/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One side of an exchange: a message on a connection, whatever the protocol. The client's side
 * takes responses, the origin's side requests; what they receive they tell the exchange
 * (exchange.h). An implementation for HTTP/2 has one of these for each stream. */

#include <stddef.h>

#include "proxy/message.h"

struct wire_ops {
    /* In this order, body any number of times. What cannot be sent yet is kept. A failure is the
     * connection's, which tells the exchange by itself, later: there is nothing to return. */
    void (*head)(void *wire, const struct head *head);
    void (*body)(void *wire, const char *data, size_t size);
    void (*end)(void *wire, const struct field *trailers, size_t n_trailers);

    /* Sends what was kept, as far as it goes: after each batch of the above. */
    void (*flush)(void *wire);
    size_t (*pending)(const void *wire);

    /* There may be room again, and whoever waited for it is to read on. */
    void (*resume)(void *wire);

    /* The message will not be completed. */
    void (*abort)(void *wire);
};

struct wire {
    const struct wire_ops *ops; /* NULL: none */
    void *of;
};
