/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names of the host's files and sockets, which may have any bytes, as one printable word: in the
 * names of findings and on an attempt's command line. A byte that is no graphic character of ASCII,
 * and '%', is written %XX. */

#include <stddef.h>

/* The caller frees it; NULL: no memory. */
char *word_encode(const void *bytes, size_t length);

/* Decodes into bytes, and ends that with a NUL that does not count. Returns the length, -EINVAL for
 * what word_encode() never wrote, or -ENAMETOOLONG. */
long word_decode(const char *word, char *bytes, size_t size);
