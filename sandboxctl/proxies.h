/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The proxies of the sandboxes: a socket each, which a session of the sandbox needs, and a service,
 * which the first connection starts. */

#include "conf/config.h"

#include <signal.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

#define PROXY_PREFIX "pam-sandbox-egress@"

struct proxy_state {
    char *state; /* of the socket: "listening", "running" with its service, "failed (resources)"…;
                    "none" for a sandbox without a proxy */
    bool known;  /* up says so; not for one without a proxy */
    bool up;
};

/* One for each sandbox of config, in their order; bus NULL: they are unknown. Returns 0 or -ENOMEM.
 */
int proxies_gather(sd_bus *bus, const struct config *config, struct proxy_state **ret);
void proxies_free(struct proxy_state *states, size_t n);

/* Has what is fetched for proxies fetched now. Fetching goes through them, and may take as long as
 * the network does: this does not wait. */
void proxies_fetch(sd_bus *bus);

/* Has systemd follow: sockets that config does not have are closed, and with them their services;
 * those that it has listen where they should; services that run read their rules anew. NULL: it has
 * none. Returns 0 or a negative errno after it printed what failed. signals as in manager.h. */
int proxies_exchange(sd_bus *bus, const struct config *config, const sigset_t *signals);
