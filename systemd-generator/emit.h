/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Writing into a generator's output directory: new files and links only. PID 1 empties the
 * directory before the generators run (systemd.generator(7)), so whatever is there already was
 * made by another generator, and is not ours to replace: -EEXIST. */

#include <stddef.h>

/* Where the package's own units are. */
#define UNIT_PATH "/usr/lib/systemd/system/"

struct emit {
    int directory_fd;      /* owned by the caller */
    const char *directory; /* for messages */
    const char *origin;    /* the file the configuration was read from, for the headers */
};

/* Writes NAME, a relative path whose directories are made as needed: a header that says who wrote
 * the file and where its content comes from, then text. subject says what in the configuration the
 * file is about, for instance `sandbox "agent"`. Returns 0 or a negative errno, with a message on
 * stderr. */
int emit_file(const struct emit *emit, const char *name, const char *subject, const char *text);

/* Makes NAME a symbolic link to target; otherwise as emit_file(). */
int emit_link(const struct emit *emit, const char *name, const char *target);
