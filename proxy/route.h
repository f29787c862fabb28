/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whether an address is one of this host's own, as the kernel's routing table has it now: public
 * addresses of the host, whole local prefixes, anycast and broadcast. Promises a fresh answer, from
 * one request over a socket that stays open, and no packet on any network. */

#include <sys/socket.h>

/* Returns a netlink socket that the caller closes, or a negative errno. */
int route_open(void);

/* 1: goes to another host; 0: does not (own, broadcast, multicast, blackholed); -ENETUNREACH and
 * the like: there is no route; another negative errno: could not ask, and the address must not be
 * used. */
int route_leaves_host(int route, const struct sockaddr *address);
