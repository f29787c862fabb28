/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs of a sandbox are to trust, as files of the names that paths.h has, for
 * everybody to read; and what the proxy sends along, for those that trust an authority from before.
 *
 * Functions return 0 or a negative errno. dir belongs to root; files are replaced by rename. */

#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>

/* What the authorities from before have signed for their successors, the latest first. It is there
 * until the proxy's socket is closed, or the host goes down: no session is older. */
#define CA_BRIDGES_NAME "bridges.pem"
#define CA_BRIDGES_MAX 8

/* Writes the certificate, alone and behind those of system_bundle, and with for_java a store for
 * the JVM of all of these. */
int ca_publish(int dir, X509 *certificate, const char *system_bundle, bool for_java);

/* Puts one more in front of those that are there; the oldest goes. */
int ca_publish_bridge(int dir, X509 *bridge);

/* What is there, for the caller to free; an empty stack if there is nothing. NULL: out of memory.
 */
STACK_OF(X509) * ca_read_bridges(int dir);
