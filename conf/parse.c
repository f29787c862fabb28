/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/parse.h"

#include <confuse.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/scan.h"

/* libconfuse's scanner is one for the whole process, and the error function has no pointer of its
 * caller's: one text at a time. */
static pthread_mutex_t parser_lock = PTHREAD_MUTEX_INITIALIZER;
static struct parser *parser;

struct parser {
    struct merge *merge;
    cfg_t *cfg;
    const struct scan_section *section;
    /* What libconfuse finds wrong ends its reading of the section. It is told after what is wrong
     * with the lines before. */
    char error[1024];
    unsigned error_line;
    bool out_of_memory;
};

/* Scanned text begins at some line of its file, and libconfuse counts from one. */
static unsigned file_line(const cfg_t *cfg)
{
    return parser->section->line + (unsigned)cfg->line - 1;
}

/* libconfuse names the wrong option alone. */
static void unknown_option(cfg_t *cfg, const char *name)
{
    const bool top = strcmp(cfg_name(cfg), "root") == 0;
    size_t used = (size_t)snprintf(parser->error, sizeof parser->error,
                                   "%.64s: no such %s in %s; known there: ", name,
                                   top ? "section" : "option", top ? "the file" : cfg_name(cfg));
    cfg_opt_t *opt;

    for (unsigned i = 0; (opt = cfg_getnopt(cfg, i)) && used < sizeof parser->error; i++)
        used += (size_t)snprintf(parser->error + used, sizeof parser->error - used, "%s%s",
                                 i > 0 ? ", " : "", cfg_opt_name(opt));
}

static void on_error(cfg_t *cfg, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void on_error(cfg_t *cfg, const char *format, va_list arguments)
{
    parser->error_line = file_line(cfg);
    if (strcmp(format, "no such option '%s'") == 0)
        unknown_option(cfg, va_arg(arguments, const char *));
    else
        (void)vsnprintf(parser->error, sizeof parser->error, format, arguments);
}

/* A value keeps the line it stands on; libconfuse itself forgets it. */
static int on_value(cfg_t *cfg, cfg_opt_t *opt, const char *text, void *result)
{
    const size_t size = strlen(text) + 1;
    struct merge_value *value = malloc(sizeof *value + size);

    (void)opt;
    if (!value) {
        parser->out_of_memory = true;
        return -1;
    }
    value->line = file_line(cfg);
    value->text = memcpy(value + 1, text, size);
    *(void **)result = value;
    return 0;
}

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
                options[i].type->list
                    ? (cfg_opt_t)CFG_PTR_LIST_CB(options[i].name, NULL, CFGF_NODEFAULT, on_value,
                                                 free)
                    : (cfg_opt_t)CFG_PTR_CB(options[i].name, NULL, CFGF_NODEFAULT, on_value, free);
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

static int take_option(struct merge_sandbox *sandbox, const struct option *option, cfg_opt_t *opt)
{
    _cleanup_free_ struct merge_value **values = NULL;
    const unsigned n = cfg_opt_size(opt);
    unsigned n_values = 0;
    bool append = false;

    if (!(opt->flags & CFGF_MODIFIED))
        return 0;
    values = calloc(n + 1, sizeof *values);
    if (!values)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        struct merge_value *value = cfg_opt_getnptr(opt, i);

        if (!value)
            continue;
        if (strcmp(value->text, SCAN_APPEND_MARK) == 0)
            append |= i == 0;
        else
            values[n_values++] = value;
    }
    return merge_set(parser->merge, sandbox, option, append, parser->section->start, values,
                     n_values);
}

static int take_section(struct merge_sandbox *sandbox, enum option_section section, cfg_t *cfg)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n_options; i++)
        if (options[i].section == section)
            r = take_option(sandbox, &options[i], cfg_getopt(cfg, options[i].name));
    for (size_t i = 0; r == 0 && i < N_SECTIONS; i++) {
        if (i == section || sections[i].parent != section)
            continue;
        cfg_opt_t *opt = cfg_getopt(cfg, sections[i].name);
        for (unsigned n = 0; r == 0 && n < cfg_opt_size(opt); n++)
            r = take_section(sandbox, i, cfg_opt_getnsec(opt, n));
    }
    return r;
}

static int take_top(bool incomplete)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < N_SECTIONS; i++) {
        if (sections[i].parent != i)
            continue;
        cfg_opt_t *opt = cfg_getopt(parser->cfg, sections[i].name);
        for (unsigned n = 0; r == 0 && n < cfg_opt_size(opt); n++) {
            cfg_t *cfg = cfg_opt_getnsec(opt, n);
            struct merge_sandbox *sandbox = NULL;

            if (i == SECTION_SANDBOX) {
                r = merge_find_sandbox(parser->merge, cfg_title(cfg), parser->section->start,
                                       &sandbox);
                if (r == -EINVAL) {
                    r = 0;
                    continue;
                }
                if (r < 0)
                    break;
                sandbox->origins.incomplete |= incomplete;
            }
            r = take_section(sandbox, i, cfg);
        }
        cfg_free_value(opt);
    }
    return r;
}

static int on_section(const struct scan_section *section, void *userdata)
{
    struct merge *merge = parser->merge;
    bool failed;
    int r;

    (void)userdata;
    if (!section->text)
        return 0;
    parser->section = section;
    parser->error_line = section->start;
    strcpy(parser->error, "syntax error in the section that begins here");
    failed = cfg_parse_buf(parser->cfg, section->text) != CFG_SUCCESS;
    if (parser->out_of_memory)
        return -ENOMEM;
    r = take_top(failed);
    if (failed)
        problem(&merge->problems, merge_file(merge), parser->error_line, "%s", parser->error);
    return r;
}

int parse_text(struct merge *merge, const char *path, const char *text, size_t size)
{
    struct parser this = { .merge = merge };
    _cleanup_free_ struct grammar *grammar = calloc(1, sizeof *grammar);
    int r = merge_begin_file(merge, path);

    if (r < 0)
        return r;
    if (!grammar)
        return -ENOMEM;
    make_grammar(grammar);

    (void)pthread_mutex_lock(&parser_lock);
    parser = &this;
    this.cfg = cfg_init(grammar->top, CFGF_NONE);
    r = this.cfg ? 0 : -ENOMEM;
    if (r == 0) {
        cfg_set_error_function(this.cfg, on_error);
        r = scan_sections(path, text, size, &merge->problems, on_section, NULL);
        cfg_free(this.cfg);
    }
    parser = NULL;
    (void)pthread_mutex_unlock(&parser_lock);
    return r;
}
