/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is kept of origins between two requests: idle connections, and TLS sessions to resume. By
 * scheme, host and port, see place.h; bounded, and what has been idle for longest goes first. */

struct pool;
struct proxy;

/* Sets proxy->origin_tls as well, whose sessions it collects. 0 or a negative errno. */
int pool_new(struct proxy *proxy, struct pool **ret);
