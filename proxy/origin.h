/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Connections to origins.
 *
 * Promises: a connection is used for one scheme, host and port alone, also when others have the
 * same address or certificate; TLS is verified against the system's store for that host; an idle
 * one that says anything is closed. */

#include "proxy/exchange.h"

/* Tells the exchange exchange_origin_ready() or exchange_origin_failed(), now or later; until then
 * exchange->waits_for is what origin_forget() takes. fresh: not one from the pool. */
void origin_get(struct exchange *exchange, bool fresh);
void origin_forget(struct origin *origin);
