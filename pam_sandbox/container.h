/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is done for a container of a sandbox by its OCI runtime, which runs the program "container"
 * as a hook, with the privilege that the container itself has and no other.
 *
 * Functions return 0 or a negative errno. */

#include <stdint.h>
#include <sys/types.h>

/* Puts the bundle in the place of each file that the image's distribution has its authorities in,
 * unless it has none there, or a volume is. In the container's mount namespace, while root_fd is
 * still seen from outside. */
int container_trust(int root_fd, const char *bundle);

/* Has the container's loopback interface lead to the proxy at that port of this namespace's, until
 * process init has ended, by a process that stays behind. Nothing is done for a container that has
 * the network of the session itself, and nothing is reached by one that has none. */
int container_proxy(pid_t init, uint16_t port);

/* Passes connections on, from the listening socket to the port of 127.0.0.1, until until_fd, a
 * pidfd, is readable; if interfaces_fd, /proc/PID/net/dev of the container, has any but its own. */
void container_relay(int listen_fd, int interfaces_fd, int until_fd, uint16_t port);
