/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The Unix sockets of the host's network namespace that somebody could connect or send to, as
 * /proc/net/unix has them. */

#include "conf/config.h"

struct unix_socket {
    char *word; /* its name, as word_encode() writes it; abstract: without the leading NUL */
    bool is_abstract;
    int type; /* SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM */
    unsigned long inode;
};

struct unix_list {
    struct unix_socket *list;
    size_t n;
};

/* One line of that file. Returns 1 and a socket that the caller frees, 0 for one that has no name
 * or does not listen, or -ENOMEM. */
int unix_list_parse(const char *line, struct unix_socket *socket);

/* Those that have a path at which root finds a socket, or an abstract name, sorted and each once;
 * without those that a process with the sandbox's ids has open. Returns 0 or a negative errno. */
int unix_list_others(const struct config_sandbox *sandbox, bool abstract,
                     struct unix_list *sockets);

void unix_list_done(struct unix_list *sockets);
