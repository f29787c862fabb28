/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What podman and buildah in a session do for their containers, so that these reach the sandbox's
 * proxy and trust it without being told: two files of root's, one that the session's environment
 * names, and the description of a device that this one gives to every container. Both programs take
 * variables, mounts and hooks of a device, and leave none of it in an image; what else
 * containers.conf(5) knows is ignored by one of them, or committed.
 *
 * Functions return a string that the caller frees; NULL: out of memory. */

#include "conf/config.h"

/* containers.conf(5). for_java: there is a store for the JVM. */
char *containers_conf(const struct config_sandbox *sandbox, bool for_java);

/* JSON, as the specification of the Container Device Interface has it (CNCF, version 0.5.0). */
char *containers_device(const struct config_sandbox *sandbox, bool for_java);
