/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names and addresses of Unix sockets, as attempts take them: a word of word_encode(), with a '@'
 * before an abstract name's. */

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Returns 0, -EINVAL or -ENAMETOOLONG. */
int connect_address(const char *word, struct sockaddr_un *address, socklen_t *length);

/* Whether somebody has bound it, without a connection, which could start something. Returns 0,
 * -ENOENT or -ECONNREFUSED when nobody has, or another negative errno. */
int connect_find(const char *word);

/* Binds it, for everybody, and listens. Returns the descriptor or a negative errno. */
int connect_listen(const char *word, int type);

/* The canaries are one of each type: their names begin alike. */
#define CONNECT_TYPES 3
void connect_canary_word(char *word, size_t size, const char *prefix, size_t type);
int connect_canary_type(size_t type);
