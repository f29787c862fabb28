/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Listening sockets. Promises: accepting stops, and the kernel's queue takes over, while there are
 * as many clients as are allowed or descriptors have run out; it goes on when one has gone, or
 * after a moment. */

#include "proxy/proxy.h"

struct listeners;

int listeners_new(struct proxy *proxy, struct listeners **ret);
void listeners_free(struct listeners *listeners);

/* fd listens, and stays the caller's. */
int listeners_add(struct listeners *listeners, int fd);

/* A client has gone. */
void listeners_resume(struct listeners *listeners);
