/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Text to nftables: all of it comes into force at once, or nothing. */

/* Returns 0, or -EIO and what libnftables says in *error, which the caller frees, or -ENOMEM. */
int transaction_run(const char *text, char **error);
