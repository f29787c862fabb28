/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Text to nftables: all of it comes into force at once, or nothing. */

/* Returns 0, or -EIO and what libnftables says in *error, which the caller frees, or -ENOMEM. */
int transaction_run(const char *text, char **error);

/* The same for a question; the answer is JSON, libnftables-json(5), and the caller's to free. -EIO:
 * there is nothing of what was asked for, or it is not for us to know. */
int transaction_ask(const char *text, char **answer);
