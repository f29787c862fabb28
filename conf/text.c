/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/scan.h"

/* libconfuse's scanner is one for the whole process, and the error function has no pointer of its
 * caller's: one text at a time. */
static pthread_mutex_t parser_lock = PTHREAD_MUTEX_INITIALIZER;
static struct parser *parser;

struct parser {
    cfg_t *cfg;
    const char *file;
    const struct scan_section *section;
    struct problems *problems;
    text_section_t take;
    void *userdata;
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
int text_value_read(cfg_t *cfg, cfg_opt_t *opt, const char *text, void *result)
{
    const size_t size = strlen(text) + 1;
    struct text_value *value = malloc(sizeof *value + size);

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

int text_values_of(cfg_opt_t *opt, struct text_values *ret)
{
    const unsigned n = cfg_opt_size(opt);
    struct text_value **list;

    *ret = (struct text_values){ 0 };
    if (!(opt->flags & CFGF_MODIFIED))
        return 0;
    list = calloc(n + 1, sizeof(struct text_value *));
    if (!list)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        struct text_value *value = cfg_opt_getnptr(opt, i);

        if (!value)
            continue;
        if (strcmp(value->text, SCAN_APPEND_MARK) == 0)
            ret->append |= i == 0;
        else
            list[ret->n++] = value;
    }
    ret->list = list;
    return 1;
}

static int on_section(const struct scan_section *section, void *userdata)
{
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
    r = parser->take(parser->cfg, section->start, failed, parser->userdata);
    /* The next section shall not find what this one said. */
    for (unsigned i = 0; i < cfg_num(parser->cfg); i++) {
        cfg_opt_t *opt = cfg_getnopt(parser->cfg, i);

        cfg_free_value(opt);
        opt->flags &= ~CFGF_MODIFIED;
    }
    if (failed)
        problem(parser->problems, parser->file, parser->error_line, "%s", parser->error);
    return r;
}

int text_parse(const char *file, const char *text, size_t size, cfg_opt_t *top,
               struct problems *problems, text_section_t section, void *userdata)
{
    struct parser this = {
        .file = file, .problems = problems, .take = section, .userdata = userdata
    };
    int r;

    (void)pthread_mutex_lock(&parser_lock);
    parser = &this;
    this.cfg = cfg_init(top, CFGF_NONE);
    r = this.cfg ? 0 : -ENOMEM;
    if (r == 0) {
        cfg_set_error_function(this.cfg, on_error);
        r = scan_sections(file, text, size, problems, on_section, NULL);
        cfg_free(this.cfg);
    }
    parser = NULL;
    (void)pthread_mutex_unlock(&parser_lock);
    return r;
}
