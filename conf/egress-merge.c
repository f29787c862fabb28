/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/egress-merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-options.h"
#include "conf/egress-rules.h"
#include "conf/rules.h"
#include "conf/text.h"

/* More would be a mistake, and a request may have to be compared with each. */
#define MAX_RULES 1024

int egress_merge_init(struct egress_merge *merge, struct problems *problems)
{
    *merge = (struct egress_merge){ .problems = problems };
    merge->policy = calloc(1, sizeof *merge->policy);
    if (!merge->policy)
        return -ENOMEM;
    for (const struct option *option = egress_feed_options; option->name; option++)
        option->type->clear(option, merge->policy);
    return 0;
}

static void clear_include(struct egress_merge *merge)
{
    for (size_t i = 0; i < merge->n_include; i++)
        free(merge->include[i]);
    free(merge->include);
    merge->include = NULL;
    merge->n_include = 0;
}

void egress_merge_done(struct egress_merge *merge)
{
    clear_include(merge);
    free(merge->hosts_named);
    egress_free(merge->policy);
    *merge = (struct egress_merge){ 0 };
}

/* One text on its way through libconfuse. */
struct place {
    struct egress_merge *merge;
    const char *path;
    unsigned start;
};

static void problem_in(const struct place *place, unsigned line, const char *what,
                       const struct reason *reason)
{
    problem(place->merge->problems, place->path, line, "%s: %s", what, reason->text);
}

/* Sets one option of target, or appends to it. 1: it was named; 0: not; -ENOMEM. */
static int take_option(const struct place *place, const struct option *option, const char *section,
                       cfg_t *cfg, void *target)
{
    struct text_values values;
    char name[EGRESS_NAME_SIZE + 32];
    int r = text_values_of(cfg_getopt(cfg, option->name), &values);

    if (r <= 0)
        return r;
    (void)snprintf(name, sizeof name, "%s.%s", section, option->name);
    if (option->type->list && !values.append)
        option->type->clear(option, target);
    for (size_t i = 0; r >= 0 && i < values.n; i++) {
        struct reason reason;

        r = option->type->read(option, values.list[i]->text, target, &reason);
        if (r == -EINVAL)
            problem_in(place, values.list[i]->line, name, &reason);
        if (r != -ENOMEM)
            r = 1;
    }
    free(values.list);
    return r;
}

/* A file and a URL take each other's place. */
static int take_feed(const struct place *place, cfg_t *cfg)
{
    const bool has_file = cfg_size(cfg, "file") > 0, has_url = cfg_size(cfg, "url") > 0;
    struct egress_policy *policy = place->merge->policy;
    int r = 0;

    if (has_file && has_url)
        problem(place->merge->problems, place->path, place->start,
                "feed has a file and a url; leave one of them out");
    if (has_file)
        free(steal_ptr(policy->feed_url));
    if (has_url)
        free(steal_ptr(policy->feed_file));
    for (const struct option *option = egress_feed_options; r >= 0 && option->name; option++)
        r = take_option(place, option, "feed", cfg, policy);
    return r < 0 ? r : 0;
}

/* The rule of that name, new or known; -EINVAL after the name was reported as wrong. */
static int find_rule(const struct place *place, const char *name, struct egress_rule **ret)
{
    struct egress_merge *merge = place->merge;
    struct egress_policy *policy = merge->policy;
    struct egress_rule *rules;
    struct reason reason;
    bool *named;

    for (size_t i = 0; i < policy->n_rules; i++)
        if (strcmp(policy->rules[i].name, name) == 0) {
            *ret = &policy->rules[i];
            return 0;
        }
    if (rule_egress_name(name, &reason) < 0 ||
        (policy->n_rules >= MAX_RULES &&
         refuse(&reason, "more than %d rules; remove some", MAX_RULES) < 0)) {
        problem_in(place, place->start, "write", &reason);
        return -EINVAL;
    }

    rules = reallocarray(policy->rules, policy->n_rules + 1, sizeof *rules);
    if (!rules)
        return -ENOMEM;
    policy->rules = rules;
    named = reallocarray(merge->hosts_named, policy->n_rules + 1, sizeof *named);
    if (!named)
        return -ENOMEM;
    merge->hosts_named = named;
    named[policy->n_rules] = false;
    rules += policy->n_rules++;
    *rules = (struct egress_rule){ .name = strdup(name),
                                   .file = strdup(place->path),
                                   .line = place->start };
    *ret = rules;
    return rules->name && rules->file ? 0 : -ENOMEM;
}

static int take_rule(const struct place *place, cfg_t *cfg)
{
    struct egress_rule *rule;
    char section[EGRESS_NAME_SIZE + 16];
    int r = find_rule(place, cfg_title(cfg), &rule);

    if (r < 0)
        return r == -EINVAL ? 0 : r;
    (void)snprintf(section, sizeof section, "write \"%s\"", rule->name);
    for (const struct option *option = egress_rule_options; r >= 0 && option->name; option++) {
        r = take_option(place, option, section, cfg, rule);
        if (r > 0 && option->offset == offsetof(struct egress_rule, hosts))
            place->merge->hosts_named[rule - place->merge->policy->rules] = true;
    }
    return r < 0 ? r : 0;
}

static int add_include(const struct place *place, const struct text_value *value)
{
    struct egress_merge *merge = place->merge;
    const char *slash = strrchr(place->path, '/');
    const int directory = *value->text != '/' && slash ? (int)(slash + 1 - place->path) : 0;
    _cleanup_free_ char *path = NULL;
    struct reason reason;
    char **list;

    if (asprintf(&path, "%.*s%s", directory, place->path, value->text) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    if (rule_path(path, &reason) < 0) {
        problem_in(place, value->line, "include", &reason);
        return 0;
    }
    list = reallocarray(merge->include, merge->n_include + 1, sizeof *list);
    if (!list)
        return -ENOMEM;
    merge->include = list;
    list[merge->n_include++] = steal_ptr(path);
    return 0;
}

static int take_include(const struct place *place, cfg_opt_t *opt)
{
    struct text_values values;
    int r = text_values_of(opt, &values);

    if (r <= 0)
        return r;
    for (size_t i = 0; r >= 0 && i < values.n; i++)
        r = add_include(place, values.list[i]);
    free(values.list);
    return r < 0 ? r : 0;
}

static int take_top(cfg_t *cfg, unsigned start, bool incomplete, void *userdata)
{
    struct place place = *(struct place *)userdata;
    cfg_opt_t *feed = cfg_getopt(cfg, "feed"), *write = cfg_getopt(cfg, "write");
    int r = take_include(&place, cfg_getopt(cfg, "include"));

    (void)incomplete; /* reported, and then there is no policy */
    place.start = start;
    for (unsigned i = 0; r == 0 && i < cfg_opt_size(feed); i++)
        r = take_feed(&place, cfg_opt_getnsec(feed, i));
    for (unsigned i = 0; r == 0 && i < cfg_opt_size(write); i++)
        r = take_rule(&place, cfg_opt_getnsec(write, i));
    return r;
}

static void make_section(cfg_opt_t *opts, const struct option *options_of)
{
    for (; options_of->name; options_of++)
        *opts++ =
            options_of->type->list ? TEXT_LIST(options_of->name) : TEXT_VALUE(options_of->name);
    *opts = (cfg_opt_t)CFG_END();
}

int egress_merge_text(struct egress_merge *merge, const char *path, const char *text, size_t size)
{
    struct place place = { .merge = merge, .path = path };
    cfg_opt_t feed[8], rule[8];
    cfg_opt_t top[] = {
        TEXT_LIST("include"),
        CFG_SEC("feed", feed, CFGF_MULTI),
        CFG_SEC("write", rule, CFGF_MULTI | CFGF_TITLE),
        CFG_END(),
    };

    clear_include(merge);
    make_section(feed, egress_feed_options);
    make_section(rule, egress_rule_options);
    return text_parse(path, text, size, top, merge->problems, take_top, &place);
}

static int complete_list(char ***list)
{
    if (!*list)
        *list = calloc(1, sizeof **list);
    return *list ? 0 : -ENOMEM;
}

static int complete_rule(struct egress_rule *rule)
{
    if (complete_list(&rule->hosts) < 0 || complete_list(&rule->paths) < 0)
        return -ENOMEM;
    if (rule->upgrade == EGRESS_UPGRADE_NONE || (rule->methods && rule->methods[0]))
        return complete_list(&rule->methods);
    free(rule->methods);
    rule->methods = calloc(2, sizeof *rule->methods);
    if (rule->methods)
        rule->methods[0] = strdup("GET");
    return rule->methods && rule->methods[0] ? 0 : -ENOMEM;
}

static void check_rule(struct egress_merge *merge, const struct egress_rule *rule, bool hosts_named)
{
    const char *missing = !hosts_named        ? "hosts"
                          : !rule->hosts[0]   ? NULL /* turned off */
                          : !rule->methods[0] ? "methods"
                          : !rule->paths[0]   ? "paths"
                                              : NULL;

    if (missing)
        problem(merge->problems, rule->file, rule->line,
                "write \"%s\" has no %s; name them, or write hosts = { } to turn it off",
                rule->name, missing);
    /* RFC 6455, 4.1: the method of the handshake is GET. */
    if (rule->upgrade == EGRESS_UPGRADE_WEBSOCKET &&
        (strcmp(rule->methods[0], "GET") != 0 || rule->methods[1]))
        problem(merge->problems, rule->file, rule->line,
                "write \"%s\" is for WebSockets, which begin with GET; remove methods", rule->name);
}

int egress_merge_finish(struct egress_merge *merge, struct egress_policy **ret)
{
    struct egress_policy *policy = merge->policy;

    for (size_t i = 0; i < policy->n_rules; i++) {
        if (complete_rule(&policy->rules[i]) < 0)
            return -ENOMEM;
        check_rule(merge, &policy->rules[i], merge->hosts_named[i]);
    }
    *ret = steal_ptr(merge->policy);
    return 0;
}
