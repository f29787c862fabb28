/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The status as machines read it; sandboxctl(8) names the fields. */
#include "conf/cleanup.h"
#include "sandboxctl/open.h"
#include "sandboxctl/status.h"

#include <systemd/sd-json.h>

#define _cleanup_json_ _cleanup_(sd_json_variant_unrefp)

/* null where it cannot be told, or where there is no limit. */
#define BUILD_NUMBER_OR_NULL(name, value)                                                          \
    SD_JSON_BUILD_PAIR_CONDITION((value) != UINT64_MAX, name, SD_JSON_BUILD_UNSIGNED(value)),      \
        SD_JSON_BUILD_PAIR_CONDITION((value) == UINT64_MAX, name, SD_JSON_BUILD_NULL)

#define BUILD_USAGE(name, used, max)                                                               \
    SD_JSON_BUILD_PAIR_OBJECT(name, BUILD_NUMBER_OR_NULL("current", used),                         \
                              BUILD_NUMBER_OR_NULL("max", max))

static int build_in_force(const struct status *status, sd_json_variant **ret)
{
    if (!status->in_force)
        return sd_json_build(ret, SD_JSON_BUILD_NULL);
    return sd_json_build(
        ret, SD_JSON_BUILD_OBJECT(
                 SD_JSON_BUILD_PAIR_STRING("digest", status->digest),
                 SD_JSON_BUILD_PAIR_UNSIGNED("sinceUSec", status->since_usec),
                 SD_JSON_BUILD_PAIR_STRING("lockUser", status->in_force->host.lock_user)));
}

static int build_etc(const struct status *status, sd_json_variant **ret)
{
    static const char *const states[] = {
        [STATUS_ETC_SAME] = "same",
        [STATUS_ETC_EDITED] = "edited",
        [STATUS_ETC_BROKEN] = "broken",
        [STATUS_ETC_UNKNOWN] = "unknown",
    };
    _cleanup_json_ sd_json_variant *problems = NULL;

    int r = sd_json_variant_new_array(&problems, NULL, 0);
    for (size_t i = 0; r >= 0 && i < status->n_problems; i++)
        r = sd_json_variant_append_arraybo(
            &problems, SD_JSON_BUILD_PAIR_STRING("file", status->problems[i].file),
            SD_JSON_BUILD_PAIR_UNSIGNED("line", status->problems[i].line),
            SD_JSON_BUILD_PAIR_STRING("message", status->problems[i].message));
    if (r < 0)
        return r;
    return sd_json_build(
        ret, SD_JSON_BUILD_OBJECT(SD_JSON_BUILD_PAIR_STRING("state", states[status->etc]),
                                  SD_JSON_BUILD_PAIR_VARIANT("problems", problems)));
}

static int build_layers(const struct status *status, sd_json_variant **ret)
{
    int r = sd_json_variant_new_array(ret, NULL, 0);

    for (size_t i = 0; r >= 0 && i < status->n_layers; i++)
        r = sd_json_variant_append_arraybo(
            ret, SD_JSON_BUILD_PAIR_STRING("name", status->layers[i].layer->name),
            SD_JSON_BUILD_PAIR_STRING("unit", status->layers[i].layer->unit),
            SD_JSON_BUILD_PAIR_STRING("state", status->layers[i].state),
            SD_JSON_BUILD_PAIR_CONDITION(status->layers[i].known, "up",
                                         SD_JSON_BUILD_BOOLEAN(status->layers[i].up)),
            SD_JSON_BUILD_PAIR_CONDITION(!status->layers[i].known, "up", SD_JSON_BUILD_NULL),
            SD_JSON_BUILD_PAIR_CONDITION(!!status->layers[i].messages, "messages",
                                         SD_JSON_BUILD_STRV(status->layers[i].messages)));
    return r;
}

static int build_packets(const struct status_packets *packets, sd_json_variant **ret)
{
    int r = packets ? 0 : sd_json_variant_new_null(ret);

    for (int i = 0; r >= 0 && packets && i < N_COUNTERS; i++)
        r = sd_json_variant_set_field_unsigned(ret, counter_names[i], packets->count[i]);
    return r;
}

static int build_proxy(const struct proxy_state *proxy, sd_json_variant **ret)
{
    if (!proxy)
        return sd_json_variant_new_null(ret);
    return sd_json_build(
        ret, SD_JSON_BUILD_OBJECT(
                 SD_JSON_BUILD_PAIR_STRING("state", proxy->state),
                 SD_JSON_BUILD_PAIR_CONDITION(proxy->known, "up", SD_JSON_BUILD_BOOLEAN(proxy->up)),
                 SD_JSON_BUILD_PAIR_CONDITION(!proxy->known, "up", SD_JSON_BUILD_NULL)));
}

static int build_sandbox(const struct config_sandbox *sandbox, const struct status_usage *usage,
                         const struct status_packets *packets, const struct proxy_state *proxy,
                         sd_json_variant **ret)
{
    _cleanup_json_ sd_json_variant *counts = NULL, *state = NULL;

    int r = build_packets(packets, &counts);
    if (r >= 0)
        r = build_proxy(proxy, &state);
    if (r < 0)
        return r;
    return sd_json_build(
        ret, SD_JSON_BUILD_OBJECT(
                 SD_JSON_BUILD_PAIR_STRING("name", sandbox->name),
                 SD_JSON_BUILD_PAIR_UNSIGNED("uid", sandbox->uid),
                 SD_JSON_BUILD_PAIR_OBJECT(
                     "subids", SD_JSON_BUILD_PAIR_UNSIGNED("start", sandbox->subids.start),
                     SD_JSON_BUILD_PAIR_UNSIGNED("count", sandbox->subids.count)),
                 BUILD_USAGE("sessions", usage->sessions, sandbox->limits.sessions),
                 BUILD_USAGE("tasks", usage->tasks, sandbox->limits.tasks),
                 BUILD_USAGE("memory", usage->memory, sandbox->limits.memory),
                 SD_JSON_BUILD_PAIR_VARIANT("packets", counts),
                 SD_JSON_BUILD_PAIR_VARIANT("proxy", state)));
}

static int build_sandboxes(const struct status *status, sd_json_variant **ret)
{
    static const struct status_usage unknown = { STATUS_UNKNOWN, STATUS_UNKNOWN, STATUS_UNKNOWN };
    size_t n = status->in_force ? status->in_force->n_sandboxes : 0;
    sd_json_variant **elements = calloc(n + 1, sizeof(*elements));
    int r = 0;

    if (!elements)
        return -ENOMEM;
    for (size_t i = 0; r >= 0 && i < n; i++)
        r = build_sandbox(&status->in_force->sandboxes[i],
                          status->usages ? &status->usages[i] : &unknown,
                          status->packets ? &status->packets[i] : NULL,
                          status->proxies ? &status->proxies[i] : NULL, &elements[i]);
    if (r >= 0)
        r = sd_json_variant_new_array(ret, elements, n);
    for (size_t i = 0; i < n; i++)
        sd_json_variant_unref(elements[i]);
    free(elements);
    return r;
}

struct collected {
    sd_json_variant *array;
    int error;
};

static void add_open(const struct open_item *item, void *userdata)
{
    struct collected *collected = userdata;
    _cleanup_free_ char **names = calloc(item->n_sandboxes + 1, sizeof(*names));

    if (collected->error < 0 || !names) {
        collected->error = collected->error < 0 ? collected->error : -ENOMEM;
        return;
    }
    for (size_t i = 0; i < item->n_sandboxes; i++)
        names[i] = item->sandboxes[i]->name;
    collected->error = sd_json_variant_append_arraybo(
        &collected->array,
        SD_JSON_BUILD_PAIR_CONDITION(!!item->sandboxes, "sandboxes", SD_JSON_BUILD_STRV(names)),
        SD_JSON_BUILD_PAIR_STRING("option", item->option),
        SD_JSON_BUILD_PAIR_STRING("what", item->what));
}

static void collected_done(struct collected *collected)
{
    sd_json_variant_unref(collected->array);
}

static int build_open(const struct status *status, sd_json_variant **ret)
{
    _cleanup_(collected_done) struct collected collected = {};

    int r = sd_json_variant_new_array(&collected.array, NULL, 0);
    if (r >= 0 && status->in_force)
        r = open_list(status->in_force, add_open, &collected);
    for (char **unit = status->still_running; r >= 0 && unit && *unit; unit++) {
        _cleanup_free_ char *what = NULL;

        if (asprintf(&what, "%s was running already", *unit) < 0)
            return -ENOMEM;
        add_open(&(struct open_item){ .option = "stop-services", .what = what }, &collected);
    }
    if (r >= 0)
        r = collected.error;
    if (r >= 0)
        *ret = steal_ptr(collected.array);
    return r;
}

int status_print_json(const struct status *status, FILE *out)
{
    _cleanup_json_ sd_json_variant *in_force = NULL, *etc = NULL, *layers_array = NULL,
                                   *sandboxes = NULL, *open_array = NULL, *all = NULL;

    int r = build_in_force(status, &in_force);
    if (r >= 0)
        r = build_etc(status, &etc);
    if (r >= 0)
        r = build_layers(status, &layers_array);
    if (r >= 0)
        r = build_sandboxes(status, &sandboxes);
    if (r >= 0)
        r = build_open(status, &open_array);
    if (r >= 0)
        r = sd_json_build(
            &all, SD_JSON_BUILD_OBJECT(SD_JSON_BUILD_PAIR_STRING("version", PACKAGE_VERSION),
                                       SD_JSON_BUILD_PAIR_BOOLEAN("up", status->up),
                                       SD_JSON_BUILD_PAIR_VARIANT("inForce", in_force),
                                       SD_JSON_BUILD_PAIR_VARIANT("etc", etc),
                                       SD_JSON_BUILD_PAIR_VARIANT("layers", layers_array),
                                       SD_JSON_BUILD_PAIR_VARIANT("sandboxes", sandboxes),
                                       SD_JSON_BUILD_PAIR_VARIANT("open", open_array)));
    if (r >= 0)
        r = sd_json_variant_dump(all, SD_JSON_FORMAT_PRETTY_AUTO | SD_JSON_FORMAT_NEWLINE, out,
                                 NULL);
    return r < 0 ? r : 0;
}
