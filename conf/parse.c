/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/text.h"

/* What libconfuse shall know, from our table. Each section may stand several times, and each
 * time gets values of its own. */
#define MAX_OPTIONS 32
struct grammar {
    cfg_opt_t opts[N_SECTIONS][MAX_OPTIONS];
    cfg_opt_t top[N_SECTIONS + 1];
};

static void make_section(struct grammar *grammar, enum option_section section)
{
    size_t n = 0;

    for (size_t i = 0; i < n_options; i++)
        if (options[i].section == section)
            grammar->opts[section][n++] =
                options[i].type->list ? TEXT_LIST(options[i].name) : TEXT_VALUE(options[i].name);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (i != section && sections[i].parent == section)
            grammar->opts[section][n++] =
                (cfg_opt_t)CFG_SEC(sections[i].name, grammar->opts[i], CFGF_MULTI);
    grammar->opts[section][n] = (cfg_opt_t)CFG_END();
}

static void make_grammar(struct grammar *grammar)
{
    size_t n = 0;

    for (size_t i = 0; i < N_SECTIONS; i++)
        make_section(grammar, i);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].parent == i)
            grammar->top[n++] =
                (cfg_opt_t)CFG_SEC(sections[i].name, grammar->opts[i],
                                   i == SECTION_SANDBOX ? CFGF_MULTI | CFGF_TITLE : CFGF_MULTI);
    grammar->top[n] = (cfg_opt_t)CFG_END();
}

struct place {
    struct merge *merge;
    struct merge_sandbox *sandbox; /* NULL: options of struct config */
    unsigned start;
};

static int take_option(const struct place *place, const struct option *option, cfg_opt_t *opt)
{
    struct text_values values;
    int r = text_values_of(opt, &values);

    if (r <= 0)
        return r;
    r = merge_set(place->merge, place->sandbox, option, values.append, place->start, values.list,
                  values.n);
    free(values.list);
    return r;
}

static int take_section(const struct place *place, enum option_section section, cfg_t *cfg)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n_options; i++)
        if (options[i].section == section)
            r = take_option(place, &options[i], cfg_getopt(cfg, options[i].name));
    for (size_t i = 0; r == 0 && i < N_SECTIONS; i++) {
        if (i == section || sections[i].parent != section)
            continue;
        cfg_opt_t *opt = cfg_getopt(cfg, sections[i].name);
        for (unsigned n = 0; r == 0 && n < cfg_opt_size(opt); n++)
            r = take_section(place, i, cfg_opt_getnsec(opt, n));
    }
    return r;
}

static int take_top(cfg_t *cfg, unsigned start, bool incomplete, void *userdata)
{
    struct place place = { .merge = userdata, .start = start };
    int r = 0;

    for (size_t i = 0; r == 0 && i < N_SECTIONS; i++) {
        if (sections[i].parent != i)
            continue;
        cfg_opt_t *opt = cfg_getopt(cfg, sections[i].name);
        for (unsigned n = 0; r == 0 && n < cfg_opt_size(opt); n++) {
            cfg_t *section = cfg_opt_getnsec(opt, n);

            place.sandbox = NULL;
            if (i == SECTION_SANDBOX) {
                r = merge_find_sandbox(place.merge, cfg_title(section), start, &place.sandbox);
                if (r == -EINVAL) {
                    r = 0;
                    continue;
                }
                if (r < 0)
                    break;
                place.sandbox->origins.incomplete |= incomplete;
            }
            r = take_section(&place, i, section);
        }
    }
    return r;
}

int parse_text(struct merge *merge, const char *path, const char *text, size_t size)
{
    _cleanup_free_ struct grammar *grammar = calloc(1, sizeof *grammar);
    int r = merge_begin_file(merge, path);

    if (r < 0)
        return r;
    if (!grammar)
        return -ENOMEM;
    make_grammar(grammar);
    return text_parse(path, text, size, grammar->top, &merge->problems, take_top, merge);
}
