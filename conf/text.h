/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One text through scan.h and libconfuse, section by section, whatever the sections are. Keeps
 * libconfuse's one scanner for one text at a time, so threads may read at the same time. Private to
 * conf/. */

#include <confuse.h>

#include "conf/problem.h"

/* A value as libconfuse hands it over, with the line it stands on. */
struct text_value {
    unsigned line;
    char *text;
};

/* Options whose values are struct text_value: a single one, and a list. */
#define TEXT_VALUE(name) (cfg_opt_t) CFG_PTR_CB((name), NULL, CFGF_NODEFAULT, text_value_read, free)
#define TEXT_LIST(name)                                                                            \
    (cfg_opt_t) CFG_PTR_LIST_CB((name), NULL, CFGF_NODEFAULT, text_value_read, free)

int text_value_read(cfg_t *cfg, cfg_opt_t *opt, const char *text, void *result);

/* What was said about one option in one section. */
struct text_values {
    struct text_value **list; /* its elements belong to libconfuse */
    size_t n;
    bool append; /* written with += */
};

/* Returns 1 when the option was named, 0 when not, -ENOMEM. The caller frees list. */
int text_values_of(cfg_opt_t *opt, struct text_values *ret);

/* A top-level section, parsed: start is the line of its first word. incomplete: libconfuse refused
 * part of it, which is reported afterwards. Returns 0 or a negative errno, which ends the text. */
typedef int (*text_section_t)(cfg_t *cfg, unsigned start, bool incomplete, void *userdata);

/* Reads text, which messages call file, by the grammar top, a table that ends with CFG_END(). What
 * is wrong is reported; returns 0, -ENOMEM, or what section() returned. */
int text_parse(const char *file, const char *text, size_t size, cfg_opt_t *top,
               struct problems *problems, text_section_t section, void *userdata);
