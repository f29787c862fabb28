/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is written down of a request, and of a tunnel that never had one: from the proxy's own data
 * to the access log's record. */

#include "proxy/exchange.h"

/* detail is one line, or NULL. */
void record_exchange(const struct exchange *exchange, const char *detail);
void record_tunnel(struct proxy *proxy, const struct identity *target, enum refusal refusal,
                   const char *detail);
