/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conf/cleanup.h"
#include "entry/interface.h"

/* How long a connection may be open without a session. */
#define IDLE_USEC (30 * UINT64_C(1000000))

/* What a message may make this process allocate; systemd's own limit for one is 16 MiB, and its
 * tree is a multiple of that. What is refused for it ends this process and nothing else. */
#define DATA_MAX (32U << 20)

static int send_names(struct worker *worker, const char *error)
{
    const struct config *config = worker->access->config;
    _cleanup_free_ char **names = calloc((config ? config->n_sandboxes : 0) + 1, sizeof *names);
    size_t n = 0;

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; config && i < config->n_sandboxes; i++)
        if (access_may_enter(worker->access, worker->caller, &config->sandboxes[i]))
            names[n++] = config->sandboxes[i].name;
    if (error)
        return sd_varlink_errorbo(worker->link, error, SD_JSON_BUILD_PAIR_STRV("sandboxes", names));
    return sd_varlink_replybo(worker->link, SD_JSON_BUILD_PAIR_STRV("sandboxes", names));
}

int worker_find_sandbox(struct worker *worker, const char *name, const struct config_sandbox **ret)
{
    const struct config *config = worker->access->config;
    const struct config_sandbox *found = NULL;
    int r;

    for (size_t i = 0; config && i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];

        if ((name && strcmp(sandbox->name, name) != 0) ||
            !access_may_enter(worker->access, worker->caller, sandbox))
            continue;
        if (found) {
            r = send_names(worker, ENTRY_ERROR_AMBIGUOUS);
            return r < 0 && r != -EBADR ? r : 0;
        }
        found = sandbox;
    }
    if (!found) {
        /* The same whether there is none of that name or none for this caller. */
        (void)sd_varlink_error(worker->link, ENTRY_ERROR_NOT_ALLOWED, NULL);
        return 0;
    }
    *ret = found;
    return 1;
}

static int method_list(sd_varlink *link, sd_json_variant *parameters,
                       sd_varlink_method_flags_t flags, void *userdata)
{
    int r;

    (void)flags;
    r = sd_varlink_dispatch(link, parameters, (const sd_json_dispatch_field[]){ { 0 } }, NULL);
    return r != 0 ? r : send_names(userdata, NULL);
}

static void on_disconnect(sd_varlink_server *server, sd_varlink *link, void *userdata)
{
    struct worker *worker = userdata;

    (void)server;
    (void)link;
    enter_abort(worker);
    sd_event_exit(worker->event, 0);
}

/* The process that connected is gone, whoever else still has the connection open. */
static int on_caller_gone(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct worker *worker = userdata;

    (void)source;
    (void)fd;
    (void)revents;
    enter_abort(worker);
    return sd_event_exit(worker->event, 0);
}

static int on_term(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    struct worker *worker = userdata;

    (void)source;
    (void)info;
    enter_abort(worker);
    return sd_event_exit(worker->event, 0);
}

static int on_idle(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct worker *worker = userdata;

    (void)source;
    (void)usec;
    return sd_event_exit(worker->event, 0);
}

static int serve(struct worker *worker, sd_varlink_server *server, int connection)
{
    int r;

    r = sd_varlink_server_set_info(server, "pam-sandbox", "entry", PACKAGE_VERSION, NULL);
    if (r >= 0)
        r = sd_varlink_server_add_interface(server, &vl_interface_org_pam_sandbox_Entry);
    if (r >= 0)
        r = sd_varlink_server_bind_method_many(
            server, ENTRY_INTERFACE ".List", method_list, ENTRY_INTERFACE ".Enter", method_enter,
            ENTRY_INTERFACE ".Signal", method_signal, ENTRY_INTERFACE ".Reap", method_reap,
            ENTRY_INTERFACE ".Log", method_log, ENTRY_INTERFACE ".Denials", method_denials,
            ENTRY_INTERFACE ".Check", method_check);
    if (r >= 0)
        r = sd_varlink_server_bind_disconnect(server, on_disconnect);
    if (r >= 0)
        r = sd_varlink_server_attach_event(server, worker->event, 0);
    if (r < 0)
        return r;
    sd_varlink_server_set_userdata(server, worker);

    sd_varlink *link;
    r = sd_varlink_server_add_connection(server, connection, &link);
    if (r < 0)
        return r;
    /* Held, as Enter answers long after it has returned: systemd 262 takes who does that and holds
     * nothing for somebody who forgot to answer, and closes the connection. */
    worker->link = sd_varlink_ref(link);
    r = sd_varlink_set_allow_fd_passing_input(worker->link, true);
    if (r < 0)
        return r;
    r = sd_event_loop(worker->event);
    /* What was said last is still on its way when the loop was ended from here. */
    (void)sd_varlink_flush(worker->link);
    return r;
}

static int watch(struct worker *worker)
{
    sd_event_source *gone = NULL, *term = NULL;
    int r;

    r = sd_event_add_io(worker->event, &gone, worker->caller->pidfd, EPOLLIN, on_caller_gone,
                        worker);
    if (r >= 0)
        /* After the connection, which says it as well when all goes as it should. */
        r = sd_event_source_set_priority(gone, SD_EVENT_PRIORITY_IDLE);
    if (r >= 0)
        r = sd_event_source_set_floating(gone, true);
    if (r >= 0)
        r = sd_event_add_signal(worker->event, &term, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, on_term,
                                worker);
    if (r >= 0)
        r = sd_event_source_set_floating(term, true);
    if (r >= 0)
        r = sd_event_add_time_relative(worker->event, &worker->idle, CLOCK_MONOTONIC, IDLE_USEC, 0,
                                       on_idle, worker);
    sd_event_source_unref(gone);
    sd_event_source_unref(term);
    return r;
}

int worker_run(int connection, int door, struct caller *caller, const struct access *access,
               const char *id)
{
    struct worker worker = { .access = access, .caller = caller, .id = id, .door = door };
    sd_varlink_server *server = NULL;
    struct rlimit limit;
    int r;

    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        limit.rlim_cur = DATA_MAX;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
    r = sd_event_new(&worker.event);
    if (r >= 0)
        r = watch(&worker);
    if (r >= 0)
        r = sd_varlink_server_new(&server, SD_VARLINK_SERVER_INHERIT_USERDATA);
    if (r >= 0)
        r = serve(&worker, server, connection);
    else
        close(connection);

    enter_abort(&worker);
    sd_event_source_unref(worker.idle);
    sd_varlink_unref(worker.link);
    sd_varlink_server_unref(server);
    sd_event_unref(worker.event);
    return r < 0 ? r : 0;
}
