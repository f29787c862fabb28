/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The sockets of the system that every sandbox may reach, because a session does not work without
 * them. Beside these it reaches its own and what local.allow-sockets names. */

#include <stddef.h>

struct socket_default {
    const char *path; /* with '/' at its end: everything below */
    const char *reason;
};

extern const struct socket_default socket_defaults[];
extern const size_t n_socket_defaults;
