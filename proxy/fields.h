/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which header fields end here, as data: what is about one connection (RFC 9110, 7.6.1), what a
 * head says in another way, and what would lead around the proxy. */

#include "proxy/message.h"

enum field_use {
    FIELD_PASS = 0,
    FIELD_DROP,    /* ends here, in both directions */
    FIELD_FRAMING, /* Host, Content-Length, Transfer-Encoding: the head has it, and naming it in
                    * Connection is an attack */
};

enum field_use field_use(struct slice name);

/* May be a trailer: nothing that frames, routes, authenticates or would have changed how the body
 * is read (RFC 9110, 6.5.1). */
bool field_may_trail(struct slice name);

/* Asks a server to take the request for one of another method, as frameworks do (Rails' Rack::
 * MethodOverride, ASP.NET, Spring, Google's APIs): what was judged would not be what is done. */
bool field_overrides_method(struct slice name);

/* Goes through a comma-separated list: each call returns the next element, trimmed, and false after
 * the last. Empty elements are passed over (RFC 9110, 5.6.1). */
bool field_next_element(struct slice *rest, struct slice *ret);
