/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sockets of daemons that do as root what they are asked: those that the groups stand for which are
 * root by another name. A name that ends with '/' is every socket below. */

#include <stddef.h>

#include "conf/paths.h"

/* One of them that nobody has, by which the policy is proven. */
#define LOCK_SOCKET_CANARY RUN_DIR "/proof.socket"

struct lock_socket {
    const char *path;  /* as a daemon or systemd binds it */
    const char *group; /* NULL: none */
};

extern const struct lock_socket lock_sockets[];
extern const size_t n_lock_sockets;
