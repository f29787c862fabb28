/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where each value of a configuration came from. Private to conf/. */

#include "conf/options.h"

struct origin {
    uint32_t file; /* counted from 1 in config_origins.files; 0: built in */
    uint32_t line;
};

/* Of one option: where it was set last, and of a list each element. */
struct option_origin {
    struct origin at;
    struct origin *elements;
    size_t n_elements;
};

/* Of struct config's own options, or of one sandbox's. */
struct origins_of {
    struct origin section; /* where it was named first */
    bool incomplete;       /* part of what was said about it could not be read */
    struct option_origin *options;
};

struct config_origins {
    char **files;
    size_t n_files;
    struct origins_of common;
    struct origins_of *sandboxes; /* as config.sandboxes */
    size_t n_sandboxes;
};

int origins_of_init(struct origins_of *of, size_t n_options_of);
void origins_of_free(struct origins_of *of, size_t n_options_of);
void origins_free(struct config_origins *origins);

int origin_append_element(struct option_origin *origin, struct origin at);
void origin_clear_elements(struct option_origin *origin);

/* Of an option of config (sandbox is NULL) or of one of its sandboxes; NULL without origins. */
const struct option_origin *origin_find(const struct config *config,
                                        const struct config_sandbox *sandbox,
                                        const struct option *option);

/* "/etc/…" or NULL for a value that is built in. */
const char *origin_file(const struct config_origins *origins, struct origin at);
