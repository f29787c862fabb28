/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a session is told of its sandbox's proxy: where it is, and whom to trust. Each program has
 * names of its own for this, which are in one table; pam_sandbox(8) lists them.
 *
 * Plain functions. */

#include "conf/config.h"

/* Whether there is a store for the JVM: it is made where there is one. */
bool proxied_for_java(const struct config_sandbox *sandbox);

/* Whether the proxy's socket listens, and what is to be trusted is published. 0 or a negative
 * errno. */
int proxied_is_up(const struct config_sandbox *sandbox);

/* Where that is: the bundle of what the system trusts and the proxy's authority, for the caller to
 * free. NULL: out of memory. */
char *proxied_bundle(const struct config_sandbox *sandbox);

/* NAME=VALUE strings, NULL-terminated, for the caller to free: none for a sandbox without a proxy.
 * for_java: there is a store for the JVM. Returns 0 or -ENOMEM. */
int proxied_variables(const struct config_sandbox *sandbox, bool for_java, char ***ret);

/* The same with what is to be trusted found in another directory, as containers see it. */
int proxied_variables_in(const struct config_sandbox *sandbox, const char *directory, bool for_java,
                         char ***ret);

/* What podman's CONTAINERS_CONF_OVERRIDE says, for the caller to free; NULL: out of memory. */
char *proxied_containers_conf(const struct config_sandbox *sandbox);
