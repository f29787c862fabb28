/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who changes the table: the kernel tells of each transaction, whoever made it. */

#include <stdbool.h>

/* A descriptor that becomes readable after each change of any table; or a negative errno. */
int events_open(void);

/* Reads what has come and returns in how many transactions our table was changed, -ENOBUFS when
 * there was more than could be kept, or another negative errno. */
int events_read(int fd);

/* The same of what the kernel sent at once: a message about our table sets *ours, the one that ends
 * a transaction counts it and takes *ours back. For events_read() and tests. */
void events_look(const void *data, unsigned size, bool *ours, unsigned *transactions);
