/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl status: finds out how things stand. */
#include "sandboxctl/status.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "sandboxctl/journal.h"
#include "sandboxctl/manager.h"
#include "sandboxctl/say.h"
#include "sandboxctl/usage.h"
#include "sandboxctl/verbs.h"

#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

static void ignore_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)file;
    (void)line;
    (void)message;
    (void)userdata;
}

static int has_file(const char *root, const struct layer *layer, bool *ret)
{
    _cleanup_free_ char *path = NULL;

    if (asprintf(&path, "%s%s", root, layer->file) < 0)
        return -ENOMEM;
    *ret = access(path, F_OK) == 0;
    return 0;
}

/* The proof takes the users away when it fails, and the unit that made them does not know. */
static int state_from_unit(sd_bus *bus, struct status_layer *layer)
{
    _cleanup_unit_ struct manager_unit unit = {};
    bool there = true;

    int r = manager_get_unit(bus, layer->layer->unit, &unit);
    if (r == 0 && layer->layer->file)
        r = has_file("", layer->layer, &there);
    if (r < 0)
        return r;

    bool active = strcmp(unit.active, "active") == 0 || strcmp(unit.active, "reloading") == 0;
    bool failed = strcmp(unit.active, "failed") == 0;
    layer->known = true;
    layer->up = active && there;
    if (failed)
        layer->messages = journal_of_layer(layer->layer, unit.started_usec);
    if (strcmp(unit.load, "loaded") != 0)
        r = asprintf(&layer->state, "%s (%s)", unit.active, unit.load);
    else if (failed)
        r = asprintf(&layer->state, "%s (%s)", unit.active, unit.result);
    else if (active && !there)
        r = asprintf(&layer->state, "%s, no %s", unit.active, layer->layer->file);
    else
        r = asprintf(&layer->state, "%s", unit.active);
    return r < 0 ? -ENOMEM : 0;
}

static int state_from_file(const char *root, struct status_layer *layer)
{
    const char *state = "unknown";

    if (layer->layer->file) {
        int r = has_file(root, layer->layer, &layer->up);
        if (r < 0)
            return r;
        layer->known = true;
        state = layer->up ? "present" : "absent";
    }
    layer->state = strdup(state);
    return layer->state ? 0 : -ENOMEM;
}

static int gather_layers(const char *root, sd_bus *bus, struct status *status)
{
    size_t n = 0;

    while (layers[n].name)
        n++;
    status->layers = calloc(n, sizeof(*status->layers));
    if (!status->layers)
        return -ENOMEM;

    for (size_t i = 0; i < n; i++) {
        if (!layer_is_on(&layers[i], status->in_force))
            continue;
        struct status_layer *layer = &status->layers[status->n_layers++];
        layer->layer = &layers[i];
        int r = bus ? state_from_unit(bus, layer) : -ENOTCONN;
        if (r < 0)
            r = state_from_file(root, layer);
        if (r < 0)
            return r;
    }
    return 0;
}

static int gather_in_force(const char *root, struct status *status)
{
    _cleanup_free_ char *path = NULL;
    char digest[SNAPSHOT_DIGEST_SIZE];
    struct stat st;

    status->ready_error = snapshot_ready(root, digest);
    status->in_force_error = config_load_snapshot(root, ignore_problem, NULL, &status->in_force);
    if (status->in_force_error < 0)
        return status->in_force_error == -ENOMEM ? -ENOMEM : 0;
    status->in_force_error = snapshot_digest(root, status->digest);

    if (asprintf(&path, "%s" SNAPSHOT_FILE, root) < 0)
        return -ENOMEM;
    if (stat(path, &st) == 0)
        status->since_usec =
            (uint64_t)st.st_mtim.tv_sec * 1000000 + (uint64_t)st.st_mtim.tv_nsec / 1000;
    return 0;
}

static void keep_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    struct status *status = userdata;
    struct status_problem *problems =
        reallocarray(status->problems, status->n_problems + 1, sizeof(*problems));

    if (!problems)
        return;
    status->problems = problems;
    problems[status->n_problems++] = (struct status_problem){
        .file = strdup(file),
        .line = line,
        .message = strdup(message),
    };
}

/* What /etc would give now. Its comparison with the host is left to apply: it needs root's eyes. */
static int gather_etc(const char *root, struct status *status)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const struct config_source source = { .root = root, .check_host = geteuid() == 0 };
    char digest[SNAPSHOT_DIGEST_SIZE];

    status->etc = STATUS_ETC_UNKNOWN;
    int r = config_load_etc(&source, keep_problem, status, &config);
    if (r == -EINVAL)
        status->etc = STATUS_ETC_BROKEN;
    if (r < 0)
        return r == -ENOMEM ? r : 0;
    if (snapshot_digest_of(config, digest) == 0)
        status->etc = status->in_force && strcmp(digest, status->digest) == 0 ? STATUS_ETC_SAME
                                                                              : STATUS_ETC_EDITED;
    return 0;
}

static int gather_usages(struct status *status)
{
    if (!status->in_force)
        return 0;
    status->usages = calloc(status->in_force->n_sandboxes + 1, sizeof(*status->usages));
    if (!status->usages)
        return -ENOMEM;
    for (size_t i = 0; i < status->in_force->n_sandboxes; i++) {
        uid_t uid = status->in_force->sandboxes[i].uid;
        status->usages[i] = (struct status_usage){
            .sessions = usage_sessions(uid),
            .tasks = usage_of_slice(uid, "pids.current"),
            .memory = usage_of_slice(uid, "memory.current"),
        };
    }
    return 0;
}

static void add_packets(uid_t uid, enum counter counter, uint64_t packets, void *userdata)
{
    struct status *status = userdata;
    const struct config_sandbox *sandbox = config_find_sandbox_by_uid(status->in_force, uid);

    if (sandbox)
        status->packets[sandbox - status->in_force->sandboxes].count[counter] = packets;
}

/* The firewall answers root alone. */
static int gather_packets(struct status *status)
{
    if (!status->in_force || geteuid() != 0)
        return 0;
    status->packets = calloc(status->in_force->n_sandboxes + 1, sizeof(*status->packets));
    if (!status->packets)
        return -ENOMEM;
    if (counters_read(add_packets, status) < 0) {
        free(status->packets);
        status->packets = NULL;
    }
    return 0;
}

int status_gather(const char *root, struct status *ret)
{
    _cleanup_(status_done) struct status status = { .booted = !*root && sd_booted() > 0 };
    _cleanup_bus_ sd_bus *bus = NULL;

    if (status.booted)
        (void)manager_open(&bus);

    int r = gather_in_force(root, &status);
    if (r == 0)
        r = gather_layers(root, bus, &status);
    if (r == 0)
        r = gather_etc(root, &status);
    if (r == 0 && status.booted)
        r = gather_usages(&status);
    if (r == 0 && status.booted)
        r = gather_packets(&status);
    if (r == 0 && status.booted && status.in_force)
        r = proxies_gather(bus, status.in_force, &status.proxies);
    if (r == 0 && bus && status.in_force)
        r = manager_list_active(bus, status.in_force->host.stop_services, &status.still_running);
    if (r < 0)
        return r;

    status.up = status.booted && status.ready_error == 0;
    for (size_t i = 0; i < status.n_layers; i++)
        status.up = status.up && (status.layers[i].up || !status.layers[i].known ||
                                  status.layers[i].layer->is_aside);
    for (size_t i = 0; status.proxies && i < status.in_force->n_sandboxes; i++)
        status.up = status.up && (status.proxies[i].up || !status.proxies[i].known);

    *ret = status;
    status = (struct status){};
    return 0;
}

void status_done(struct status *status)
{
    for (size_t i = 0; i < status->n_layers; i++) {
        free(status->layers[i].state);
        cleanup_strvp(&status->layers[i].messages);
    }
    free(status->layers);
    if (status->in_force)
        proxies_free(status->proxies, status->in_force->n_sandboxes);
    config_free(status->in_force);
    free(status->usages);
    free(status->packets);
    for (size_t i = 0; i < status->n_problems; i++) {
        free(status->problems[i].file);
        free(status->problems[i].message);
    }
    free(status->problems);
    cleanup_strvp(&status->still_running);
}

int verb_status(int argc, char **argv)
{
    _cleanup_(status_done) struct status status = {};
    const char *root = "";
    bool json = false;
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_JSON:
            json = true;
            break;
        case OPTION_ROOT:
            root = optarg;
            break;
        default:
            return EXIT_USAGE;
        }

    int r = status_gather(root, &status);
    if (r == 0 && json)
        r = status_print_json(&status, stdout);
    else if (r == 0)
        r = status_print(&status, stdout);
    if (r < 0)
        return say_error(r, "cannot show the status");
    return status.up ? EXIT_SUCCESS : EXIT_FAILURE;
}
