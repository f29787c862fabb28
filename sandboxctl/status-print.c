/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The status as people read it. */
#include "sandboxctl/format.h"
#include "sandboxctl/open.h"
#include "sandboxctl/say.h"
#include "sandboxctl/status.h"
#include "sandboxctl/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Enough of a digest to tell two apart by eye. */
#define DIGEST_SHOWN 12

static const struct status_layer *first_down(const struct status *status)
{
    for (size_t i = 0; i < status->n_layers; i++)
        if (status->layers[i].known && !status->layers[i].up && !status->layers[i].layer->is_aside)
            return &status->layers[i];
    return NULL;
}

/* One whose sandbox gets no session, though others do. */
static const char *first_without_proxy(const struct status *status)
{
    for (size_t i = 0; status->proxies && i < status->in_force->n_sandboxes; i++)
        if (status->proxies[i].known && !status->proxies[i].up)
            return status->in_force->sandboxes[i].name;
    return NULL;
}

static void print_state(const struct status *status, FILE *out)
{
    bool colour = out == stdout && say_is_terminal(STDOUT_FILENO);
    const struct status_layer *down = status->up ? NULL : first_down(status);
    const char *without_proxy = status->up ? NULL : first_without_proxy(status);

    fprintf(out, "pam-sandbox %s: %s%s%s", PACKAGE_VERSION,
            !colour      ? ""
            : status->up ? "\033[1;32m"
                         : "\033[1;31m",
            status->up ? "up" : "not up", colour ? "\033[0m" : "");
    if (!status->booted)
        fputs(", as systemd is not running here", out);
    else if (down)
        fprintf(out, ", no sandbox user gets a session; journalctl -b -u %s says why",
                down->layer->unit);
    else if (without_proxy && status->ready_error == 0)
        fprintf(out,
                ", %s gets no session, as its proxy is not up; systemctl status " PROXY_PREFIX
                "%s.socket says why",
                without_proxy, without_proxy);
    else if (!status->up)
        fputs(", no sandbox user gets a session; sandboxctl apply", out);
    fputc('\n', out);
}

static void print_in_force(const struct status *status, FILE *out)
{
    char since[FORMAT_SIZE];

    if (status->in_force)
        fprintf(out, "In force: %zu sandbox%s, since %s, digest %.*s\n",
                status->in_force->n_sandboxes, status->in_force->n_sandboxes == 1 ? "" : "es",
                format_time(since, status->since_usec), DIGEST_SHOWN, status->digest);
    else if (status->in_force_error == -ENOENT)
        fputs("In force: nothing, no sandbox user exists\n", out);
    else
        fprintf(out, "In force: cannot tell: %s\n", strerror(-status->in_force_error));
}

static void print_lock(const struct status *status, FILE *out)
{
    if (status->in_force && status->in_force->host.lock_user)
        fprintf(out, "Locked: user %s\n", status->in_force->host.lock_user);
}

static void print_etc(const struct status *status, FILE *out)
{
    switch (status->etc) {
    case STATUS_ETC_SAME:
        fputs("/etc/pam-sandbox: as in force\n", out);
        break;
    case STATUS_ETC_EDITED:
        fprintf(out, "/etc/pam-sandbox: %s; sandboxctl apply puts it in force\n",
                status->in_force ? "edited since" : "not in force");
        break;
    case STATUS_ETC_BROKEN:
        fputs("/etc/pam-sandbox: broken, apply and the next boot will refuse it:\n", out);
        break;
    case STATUS_ETC_UNKNOWN:
        fputs("/etc/pam-sandbox: cannot tell, as it cannot be read\n", out);
        break;
    }
    for (size_t i = 0; i < status->n_problems; i++) {
        const struct status_problem *p = &status->problems[i];
        if (p->line > 0)
            fprintf(out, "  %s:%u: %s\n", p->file, p->line, p->message);
        else
            fprintf(out, "  %s: %s\n", p->file, p->message);
    }
}

static int print_layers(const struct status *status, FILE *out)
{
    _cleanup_table_ struct table table = { .n_columns = 4 };

    table_add(&table, "LAYER");
    table_add(&table, "UNIT");
    table_add(&table, "STATE");
    table_add(&table, "WHILE IT IS UP");
    for (size_t i = 0; i < status->n_layers; i++) {
        table_add(&table, "%s", status->layers[i].layer->name);
        table_add(&table, "%s", status->layers[i].layer->unit);
        table_add(&table, "%s", status->layers[i].state);
        table_add(&table, "%s", status->layers[i].layer->what);
    }
    fputc('\n', out);
    return table_print(&table, 0, out);
}

/* The reason for a failure, in the words of who failed. */
static void print_messages(const struct status *status, FILE *out)
{
    for (size_t i = 0; i < status->n_layers; i++) {
        char **message = status->layers[i].messages;

        if (message)
            fprintf(out, "\n%s:\n", status->layers[i].layer->unit);
        for (; message && *message; message++)
            fprintf(out, "  %s\n", *message);
    }
}

static int print_sandboxes(const struct status *status, FILE *out)
{
    _cleanup_table_ struct table table = { .n_columns = 7 };
    char text[FORMAT_SIZE];

    if (!status->in_force || status->in_force->n_sandboxes == 0)
        return 0;
    table_add(&table, "SANDBOX");
    table_add(&table, "UID");
    table_add(&table, "SUBIDS");
    table_add(&table, "SESSIONS");
    table_add(&table, "TASKS");
    table_add(&table, "MEMORY");
    table_add(&table, "PROXY");
    for (size_t i = 0; i < status->in_force->n_sandboxes; i++) {
        static const struct status_usage unknown = { STATUS_UNKNOWN, STATUS_UNKNOWN,
                                                     STATUS_UNKNOWN };
        const struct config_sandbox *sandbox = &status->in_force->sandboxes[i];
        const struct status_usage *usage = status->usages ? &status->usages[i] : &unknown;

        table_add(&table, "%s", sandbox->name);
        table_add(&table, "%" PRIu32, (uint32_t)sandbox->uid);
        if (sandbox->subids.count > 0)
            table_add(&table, "%" PRIu32 ":%" PRIu32, sandbox->subids.start, sandbox->subids.count);
        else
            table_add(&table, "none");
        table_add(&table, "%s", format_count(text, usage->sessions, sandbox->limits.sessions));
        table_add(&table, "%s", format_count(text, usage->tasks, sandbox->limits.tasks));
        table_add(&table, "%s", format_memory(text, usage->memory, sandbox->limits.memory));
        table_add(&table, "%s", status->proxies ? status->proxies[i].state : "-");
    }
    fputc('\n', out);
    return table_print(&table, 0, out);
}

static int print_packets(const struct status *status, FILE *out)
{
    static const char *const heads[N_COUNTERS] = {
        [COUNTER_PROXY] = "TO ITS PROXY",
        [COUNTER_DIRECT] = "DIRECT",
        [COUNTER_REFUSED] = "REFUSED",
    };
    _cleanup_table_ struct table table = { .n_columns = 1 + N_COUNTERS };

    if (!status->in_force || !status->packets || status->in_force->n_sandboxes == 0)
        return 0;
    table_add(&table, "PACKETS OF");
    for (int i = 0; i < N_COUNTERS; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t s = 0; s < status->in_force->n_sandboxes; s++) {
        table_add(&table, "%s", status->in_force->sandboxes[s].name);
        for (int i = 0; i < N_COUNTERS; i++)
            table_add(&table, "%" PRIu64, status->packets[s].count[i]);
    }
    fputc('\n', out);
    return table_print(&table, 0, out);
}

/* With many sandboxes the first names will do. */
#define NAMES_SHOWN 3

static void add_open(const struct open_item *item, void *userdata)
{
    char names[256] = "host";
    size_t length = 0;

    for (size_t i = 0; i < item->n_sandboxes && i < NAMES_SHOWN && length < sizeof(names); i++)
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   i > 0 ? ", " : "", item->sandboxes[i]->name);
    if (item->n_sandboxes > NAMES_SHOWN && length < sizeof(names))
        snprintf(names + length, sizeof(names) - length, " and %zu more",
                 item->n_sandboxes - NAMES_SHOWN);
    table_add(userdata, "%s", names);
    table_add(userdata, "%s", item->option);
    table_add(userdata, "%s", item->what);
}

static int print_open(const struct status *status, FILE *out)
{
    _cleanup_table_ struct table table = { .n_columns = 3 };

    if (!status->in_force)
        return 0;
    table_add(&table, "OPEN FOR");
    table_add(&table, "OPTION");
    table_add(&table, "WHY, AND WHAT IT LEAVES OPEN");
    int r = open_list(status->in_force, add_open, &table);
    if (r < 0)
        return r;
    for (char **unit = status->still_running; unit && *unit; unit++) {
        table_add(&table, "host");
        table_add(&table, "stop-services");
        table_add(&table, "%s was running already; systemctl stop %s ends it", *unit, *unit);
    }
    if (table.n_cells == table.n_columns)
        return 0;
    fputc('\n', out);
    return table_print(&table, 0, out);
}

int status_print(const struct status *status, FILE *out)
{
    print_state(status, out);
    print_in_force(status, out);
    print_lock(status, out);
    print_etc(status, out);
    int r = print_layers(status, out);
    print_messages(status, out);
    if (r == 0)
        r = print_sandboxes(status, out);
    if (r == 0)
        r = print_packets(status, out);
    if (r == 0)
        r = print_open(status, out);
    return r;
}
