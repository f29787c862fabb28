/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Somewhere outside of this host, for as long as a check lasts: a network namespace behind a pair
 * of interfaces, in which every address is there and answers. Nothing of it leaves the host, and
 * nobody else's packets get there: the host routes to it what has the source address that the
 * check has made up, which the attempts bind, and what a proxy sends to two addresses of the
 * origin's.
 *
 * Beside it, ports of this host itself that answer, where a sandbox must not get either. */

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

/* A host that no resolver knows, RFC 6761, 6.4. */
#define OUTSIDE_HOST "check.pam-sandbox.invalid"

/* What it says on port 80, and what its repository, package and so on are called. */
#define OUTSIDE_WORD "pam-sandbox-check"

/* Ports that listen at each of its addresses: 53 and 443 with UDP as well. */
#define OUTSIDE_PORTS { 53, 80, 443 }

struct outside {
    char source4[INET_ADDRSTRLEN]; /* this host's end */
    char source6[INET6_ADDRSTRLEN];
    char origin4[INET_ADDRSTRLEN]; /* for proxies: two addresses that nothing denies */
    char another4[INET_ADDRSTRLEN];
    bool has_ipv6;      /* the host has, and so everything here */
    char local_tcp[8];  /* ports of 127.0.0.1 */
    char local_tcp6[8]; /* of ::1; "" without IPv6 */
    char local_own[8];  /* of source4, an address of this host that is global */
    char local_udp[8];
    char local_dns[INET_ADDRSTRLEN]; /* has port 53, with TCP and UDP */
    char interface[16];              /* this host's, that leads there */
    char problem[256];               /* why there is none; "": it is there */

    /* For outside_end(). */
    pid_t server;
    unsigned table;
    uid_t proxy;
};

/* token: in the name of what is made. proxy: the uid that gets to the origin, (uid_t)-1: none.
 * Returns whether it is there. */
bool outside_begin(struct outside *outside, const char *token, uid_t proxy);

/* Takes it away again; likewise after a failure. */
void outside_end(struct outside *outside);

/* The process that answers, outside-serve.c. It makes what is to listen on this host, enters a
 * network namespace of its own, says so, and waits for the way to be there. Never returns. */
struct outside_hello {
    in_port_t tcp, tcp6, own, udp; /* host byte order; tcp6 0: no IPv6 */
    in_addr_t dns;                 /* network byte order */
    int error;                     /* 0, or a negative errno */
};
__attribute__((noreturn)) void outside_serve(const struct outside *outside, int in, int out);

/* Answers as origins do, on a connection; for outside-serve.c. */
void outside_answer(int fd);
