/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/egress-options.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "conf/egress-policy.h"
#include "conf/egress-rules.h"
#include "conf/rules.h"
#include "conf/types.h"

#define FIELD(option, target, type) ((type *)((char *)(target) + (option)->offset))
#define CONST_FIELD(option, target, type)                                                          \
    ((type const *)((const char *)(target) + (option)->offset))

static size_t count_one(const struct option *option, const void *target)
{
    (void)option;
    (void)target;
    return 1;
}

/* A number of names. */

static int read_floor(const struct option *option, const char *text, void *target,
                      struct reason *reason)
{
    uint64_t n;

    if (parse_number(text, option->max, &n) < 0 || n < option->min)
        return refuse(reason, "\"%.64s\" is out of range; use %" PRIu64 " to %" PRIu64, text,
                      option->min, option->max);
    *FIELD(option, target, uint64_t) = n;
    return 0;
}

static void write_floor(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)index;
    fprintf(out, "%" PRIu64, *CONST_FIELD(option, target, uint64_t));
}

static void clear_floor(const struct option *option, void *target)
{
    *FIELD(option, target, uint64_t) = option->min;
}

static const struct option_type type_floor = {
    .read = read_floor,
    .write = write_floor,
    .count = count_one,
    .clear = clear_floor,
};

/* What a connection may be turned into. */

static int read_upgrade(const struct option *option, const char *text, void *target,
                        struct reason *reason)
{
    enum egress_upgrade *field = FIELD(option, target, enum egress_upgrade);

    if (strcmp(text, "websocket") == 0)
        *field = EGRESS_UPGRADE_WEBSOCKET;
    else if (!*text)
        *field = EGRESS_UPGRADE_NONE;
    else
        return refuse(reason, "\"%.64s\" is not \"websocket\", nor \"\" for none", text);
    return 0;
}

static void write_upgrade(const struct option *option, const void *target, size_t index, FILE *out)
{
    (void)option;
    (void)target;
    (void)index;
    fputs("\"websocket\"", out);
}

static size_t count_upgrade(const struct option *option, const void *target)
{
    return *CONST_FIELD(option, target, enum egress_upgrade) != EGRESS_UPGRADE_NONE;
}

static void clear_upgrade(const struct option *option, void *target)
{
    *FIELD(option, target, enum egress_upgrade) = EGRESS_UPGRADE_NONE;
}

static const struct option_type type_upgrade = {
    .read = read_upgrade,
    .write = write_upgrade,
    .count = count_upgrade,
    .clear = clear_upgrade,
};

#define AT(structure, field) .offset = offsetof(struct structure, field)
#define LIST .max = 1024

const struct option egress_feed_options[] = {
    { "file", .type = &type_text, AT(egress_policy, feed_file), .check = rule_path,
      .about = "names of hosts that nothing reaches" },
    { "url", .type = &type_text, AT(egress_policy, feed_url), .check = rule_egress_url,
      .about = "where these names are fetched from, in place of file" },
    { "floor", .type = &type_floor, AT(egress_policy, feed_floor), .min = 1, .max = 10000000,
      .about = "a feed with fewer names is not believed" },
    { NULL },
};

const struct option egress_rule_options[] = {
    { "hosts", .type = &type_texts, AT(egress_rule, hosts), LIST, .check = rule_egress_host,
      .about = "names of hosts, NAME or NAME:PORT" },
    { "methods", .type = &type_texts, AT(egress_rule, methods), LIST, .check = rule_egress_method,
      .about = "methods of requests" },
    { "paths", .type = &type_texts, AT(egress_rule, paths), LIST, .check = rule_egress_path,
      .about = "patterns of paths" },
    { "upgrade", .type = &type_upgrade, AT(egress_rule, upgrade),
      .about = "\"websocket\": WebSockets, and nothing else" },
    { NULL },
};
