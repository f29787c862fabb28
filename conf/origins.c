/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/origins.h"

#include <errno.h>
#include <stdlib.h>

int origins_of_init(struct origins_of *of, size_t n_options_of)
{
    of->options = calloc(n_options_of, sizeof *of->options);
    return of->options ? 0 : -ENOMEM;
}

void origins_of_free(struct origins_of *of, size_t n_options_of)
{
    for (size_t i = 0; of->options && i < n_options_of; i++)
        free(of->options[i].elements);
    free(of->options);
    of->options = NULL;
}

void origins_free(struct config_origins *origins)
{
    const size_t border = options_first_of_sandbox();

    if (!origins)
        return;
    for (size_t i = 0; i < origins->n_sandboxes; i++)
        origins_of_free(&origins->sandboxes[i], n_options - border);
    origins_of_free(&origins->common, border);
    for (size_t i = 0; i < origins->n_files; i++)
        free(origins->files[i]);
    free(origins->sandboxes);
    free(origins->files);
    free(origins);
}

int origin_append_element(struct option_origin *origin, struct origin at)
{
    struct origin *elements =
        reallocarray(origin->elements, origin->n_elements + 1, sizeof *elements);

    if (!elements)
        return -ENOMEM;
    origin->elements = elements;
    elements[origin->n_elements++] = at;
    return 0;
}

void origin_clear_elements(struct option_origin *origin)
{
    free(origin->elements);
    origin->elements = NULL;
    origin->n_elements = 0;
}

const struct option_origin *origin_find(const struct config *config,
                                        const struct config_sandbox *sandbox,
                                        const struct option *option)
{
    const struct config_origins *origins = config->origins;
    const size_t i = (size_t)(option - options);

    if (!origins)
        return NULL;
    if (option->section < SECTION_SANDBOX)
        return &origins->common.options[i];
    return &origins->sandboxes[sandbox - config->sandboxes].options[i - options_first_of_sandbox()];
}

const char *origin_file(const struct config_origins *origins, struct origin at)
{
    return at.file == 0 ? NULL : origins->files[at.file - 1];
}
