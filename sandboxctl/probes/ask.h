/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session's side of a proxy: requests as bytes, and what comes back. */

#include "sandboxctl/probes/attempt.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The text with the value in each place of the mark, or as much of it as there is room for. */
void fill_in(const char *text, const char *mark, const char *value, char *filled, size_t size);

struct answer {
    unsigned status;
    char denied[64]; /* X-Egress-Denied; "": it is not the proxy's own */
    char body[512];  /* the beginning */
};

/* The answer of a response's bytes; false: it is none of HTTP's. */
bool answer_parse(const char *text, struct answer *answer);

/* Whether the reason is one of the list, "REASON,REASON". */
bool answer_is_one_of(const char *reason, const char *list);

/* Connects to a proxy on this host. Returns a descriptor or a negative errno. */
int ask_connect(const char *port);

/* Opens a tunnel to "HOST:PORT". Returns 0, or a negative errno: -EPROTO when it was not granted.
 */
int ask_tunnel(int fd, const char *authority);

/* Writes all of it. Returns 0 or a negative errno. */
int ask_write(int fd, const char *data, size_t size);

/* Reads until the end of the connection, or of an answer that has a length. Returns the size, or
 * a negative errno; text is terminated. */
ssize_t ask_read(int fd, char *text, size_t size);

/* Says what became of a request: refused for one of the reasons, or through. */
enum attempt_result ask_say(const char *what, const struct answer *answer, const char *reasons);
