/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From a host name to its addresses, by c-ares in the event loop: /etc/hosts and the servers of
 * /etc/resolv.conf, without its search list. Names that are looked up for several at once are asked
 * for once by c-ares itself, and its cache honours their lifetime. */

#include <sys/socket.h>
#include <systemd/sd-event.h>

struct resolver;
struct query;

#define ADDRESSES_MAX 32

/* The addresses, in the order in which they are to be tried (RFC 6724), all with that port. */
struct addresses {
    size_t n;
    struct sockaddr_storage address[ADDRESSES_MAX];
};

/* problem is NULL, or constant text: why there are none. More than ADDRESSES_MAX is a problem, too,
 * since each of them has to be judged. */
typedef void (*query_done_t)(void *userdata, const struct addresses *addresses,
                             const char *problem);

int resolver_new(sd_event *event, struct resolver **ret);
void resolver_free(struct resolver *resolver);

/* Reads /etc/resolv.conf and /etc/hosts again. */
void resolver_reload(struct resolver *resolver);

/* done may be called before this returns; *ret is NULL then. */
int resolver_look_up(struct resolver *resolver, const char *host, uint16_t port, query_done_t done,
                     void *userdata, struct query **ret);

/* done will not be called. */
void query_cancel(struct query *query);
