/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What listens on this host's TCP ports: /proc/net/tcp and tcp6, which show the caller's network
 * namespace. */

#include "conf/config.h"

#include <netinet/in.h>

struct tcp_listener {
    char address[INET6_ADDRSTRLEN]; /* to connect to: of one that listens on all, loopback */
    uint16_t port;                  /* host byte order */
    uid_t uid;                      /* who made the socket */
};

struct tcp_list {
    struct tcp_listener *list; /* by port */
    size_t n;
};

/* Adds those of the text of such a file. Lines that are no sockets are passed over. Returns 0 or
 * -ENOMEM. */
int tcp_list_parse(const char *text, struct tcp_list *list);

/* Whether the sandbox may reach it by design: its proxy, a port that is allowed to it, its own. */
bool tcp_list_is_allowed(const struct config_sandbox *sandbox, const struct tcp_listener *listener);

/* All of the host. Returns 0 or a negative errno. */
int tcp_list_read(struct tcp_list *list);

void tcp_list_done(struct tcp_list *list);
