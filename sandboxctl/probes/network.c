/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is reached around the proxy: addresses outside of this host, and ports on it. */
#include "sandboxctl/probes/network.h"
#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/tcp-list.h"
#include "sandboxctl/probes/twin.h"

#include "conf/cleanup.h"
#include "firewall/metadata.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void target_calls_fill(struct target_calls *calls, const struct target *targets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *const words[] = { "reach",           targets[i].protocol,
                                      targets[i].source, targets[i].address,
                                      targets[i].port,   NULL };

        memcpy(calls->argv[i], words, sizeof words);
        calls->calls[i] = (struct call){ .argv = calls->argv[i], .result = ATTEMPT_UNTRIED };
    }
}

const struct call *target_worst(const struct call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (calls[i].result != ATTEMPT_REFUSED)
            return &calls[i];
    return &calls[n - 1];
}

const struct call *target_best(const struct call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (calls[i].result != ATTEMPT_THROUGH)
            return &calls[i];
    return &calls[n - 1];
}

bool outside_is_missing(struct probe_run *run)
{
    const char *problem = run->outside ? run->outside->problem : "not made";

    if (!*problem)
        return false;
    if (run->probe->what)
        probe_found(run, VERDICT_FAIL, "could not be tried: somewhere outside: %s", problem);
    probe_found_control(run, VERDICT_FAIL, "could not be tried: somewhere outside: %s", problem);
    return true;
}

/* A session of the sandbox, and the first and last of its subordinate ids, as a container has them;
 * beside it another user. Raw sockets take a capability. */
static void try_targets(struct probe_run *run, const struct target *targets, size_t n, bool raw)
{
    const struct config_id_range *subids = &run->sandbox->subids;
    struct place places[] = { PLACE_SANDBOX(run), PLACE_OUTSIDE(run), PLACE_OUTSIDE(run) };
    struct place control = PLACE_NOBODY;
    struct target_calls tried[3], allowed;
    const struct call *worst = NULL;
    size_t n_places = 1;

    if (raw) {
        places[0] = places[1];
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            places[i].privileged = true;
        control.resident = control.privileged = true;
    }
    if (subids->count > 0) {
        places[1].uid = places[1].gid = subids->start;
        places[2].uid = places[2].gid = subids->start + subids->count - 1;
        n_places = 3;
    }
    for (size_t i = 0; i < n_places; i++) {
        target_calls_fill(&tried[i], targets, n);
        place_run(run, &places[i], tried[i].calls, n);
        if (!worst || worst->result == ATTEMPT_REFUSED)
            worst = target_worst(tried[i].calls, n);
    }
    target_calls_fill(&allowed, targets, n);
    place_run(run, &control, allowed.calls, n);
    place_judge(run, worst);
    place_judge_control(run, target_best(allowed.calls, n));
}

static bool proxy_is_off(struct probe_run *run)
{
    if (run->sandbox->egress.proxy)
        return false;
    probe_skip(run, "egress.proxy is false: it reaches any address");
    return true;
}

bool ipv6_is_missing(struct probe_run *run)
{
    if (run->outside->has_ipv6)
        return false;
    probe_skip(run, "this host has no IPv6");
    return true;
}

void probe_direct(struct probe_run *run)
{
    if (proxy_is_off(run) || outside_is_missing(run))
        return;
    const char *source = run->outside->source4;
    const struct target targets[] = {
        { "tcp", source, SOMEWHERE4, "80" },
        { "tcp", source, SOMEWHERE4, "443" },
        { "tcp", source, PRIVATE4, "443" },
    };
    try_targets(run, targets, 3, false);
}

void probe_ipv6(struct probe_run *run)
{
    if (proxy_is_off(run) || outside_is_missing(run) || ipv6_is_missing(run))
        return;
    const char *source = run->outside->source6;
    const struct target targets[] = {
        { "tcp", source, SOMEWHERE6, "443" },
        { "udp", source, SOMEWHERE6, "443" },
    };
    try_targets(run, targets, 2, false);
}

void probe_udp(struct probe_run *run)
{
    if (proxy_is_off(run) || outside_is_missing(run))
        return;
    const struct target targets[] = {
        { "udp", run->outside->source4, SOMEWHERE4, "443" },
        { "udp", "-", "127.0.0.1", run->outside->local_udp },
    };
    try_targets(run, targets, 2, false);
}

void probe_icmp(struct probe_run *run)
{
    if (proxy_is_off(run) || outside_is_missing(run))
        return;
    const struct target targets[] = {
        { "icmp", run->outside->source4, SOMEWHERE4, "0" },
        { "icmp", run->outside->source6, SOMEWHERE6, "0" },
    };
    try_targets(run, targets, run->outside->has_ipv6 ? 2 : 1, true);
}

void probe_dns(struct probe_run *run)
{
    if (!run->sandbox->egress.proxy) {
        probe_skip(run, "egress.proxy is false: it asks any resolver");
        return;
    }
    if (outside_is_missing(run))
        return;
    const struct target targets[] = {
        { "udp", run->outside->source4, SOMEWHERE4, "53" },
        { "tcp", run->outside->source4, SOMEWHERE4, "53" },
        { "udp", "-", run->outside->local_dns, "53" },
        { "tcp", "-", run->outside->local_dns, "53" },
    };
    try_targets(run, targets, 4, false);
}

/* Of the table of metadata addresses, those of the family; the host agent's has a probe of its own,
 * and a link-local one is some interface's. */
size_t metadata_targets(const char *source, int family, struct target *targets,
                        char texts[][INET6_ADDRSTRLEN])
{
    size_t n = 0;

    for (size_t i = 0; i < n_metadata_addresses && n < TARGETS_MAX; i++) {
        const struct ruleset_address *address = &metadata_addresses[i];

        if (address->family != family ||
            !inet_ntop(family, address->address, texts[n], INET6_ADDRSTRLEN) ||
            strcmp(texts[n], WIRESERVER) == 0 || strncmp(texts[n], "fe80:", 5) == 0)
            continue;
        targets[n] = (struct target){ "tcp", source, texts[n], "80" };
        n++;
    }
    return n;
}

bool metadata_is_open(struct probe_run *run)
{
    if (run->config->host.deny_metadata || run->sandbox->egress.proxy)
        return false;
    probe_skip(run, "deny-metadata is false: it reaches what hands out the machine's credentials");
    return true;
}

static void probe_metadata(struct probe_run *run, int family)
{
    char texts[TARGETS_MAX][INET6_ADDRSTRLEN];
    struct target targets[TARGETS_MAX];

    if (metadata_is_open(run) || outside_is_missing(run) ||
        (family == AF_INET6 && ipv6_is_missing(run)))
        return;
    const char *source = family == AF_INET ? run->outside->source4 : run->outside->source6;
    try_targets(run, targets, metadata_targets(source, family, targets, texts), false);
}

void probe_metadata4(struct probe_run *run)
{
    probe_metadata(run, AF_INET);
}

void probe_metadata6(struct probe_run *run)
{
    probe_metadata(run, AF_INET6);
}

void probe_wireserver(struct probe_run *run)
{
    if (metadata_is_open(run) || outside_is_missing(run))
        return;
    const struct target targets[] = { { "tcp", run->outside->source4, WIRESERVER, "80" } };
    try_targets(run, targets, 1, false);
}

/* The check's own, which another user reaches. */
static void try_tcp_canary(struct probe_run *run)
{
    const struct target targets[] = {
        { "tcp", "-", "127.0.0.1", run->outside->local_tcp },
        { "tcp", "-", run->outside->source4, run->outside->local_own },
        { "tcp", "-", "::1", run->outside->local_tcp6 },
    };

    run->object = "canary";
    try_targets(run, targets, run->outside->has_ipv6 ? 3 : 2, false);
}

static bool is_there(const struct tcp_listener *listener)
{
    _cleanup_(tcp_list_done) struct tcp_list now = {};

    if (tcp_list_read(&now) < 0)
        return false;
    for (size_t i = 0; i < now.n; i++)
        if (now.list[i].port == listener->port &&
            strcmp(now.list[i].address, listener->address) == 0)
            return true;
    return false;
}

/* The check's own are the canary; a link-local address is some interface's. */
static bool is_to_be_tried(const struct probe_run *run, const struct tcp_listener *listener)
{
    const char *const ours[] = { run->outside->local_tcp, run->outside->local_tcp6,
                                 run->outside->local_own, run->twin->port };
    char port[8];

    snprintf(port, sizeof port, "%u", listener->port);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(ours[i], port) == 0)
            return false;
    return strcmp(listener->address, run->outside->local_dns) != 0 &&
           strncmp(listener->address, "fe80:", 5) != 0 &&
           !tcp_list_is_allowed(run->sandbox, listener) && probe_wants_object(run, port);
}

/* All addresses at which one port listens. Sockets come and go: those that went are passed over. */
static void try_port(struct probe_run *run, const struct tcp_listener *listeners, size_t n,
                     const struct call *own)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    struct target targets[TARGETS_MAX];
    struct target_calls tried;
    size_t n_targets = 0;
    char port[8];

    snprintf(port, sizeof port, "%u", listeners[0].port);
    for (size_t i = 0; i < n && n_targets < TARGETS_MAX; i++)
        if (is_to_be_tried(run, &listeners[i]))
            targets[n_targets++] = (struct target){ "tcp", "-", listeners[i].address, port };
    if (n_targets == 0)
        return;
    target_calls_fill(&tried, targets, n_targets);
    place_run(run, &sandbox, tried.calls, n_targets);
    for (size_t i = 0; i < n; i++)
        if (!is_there(&listeners[i]))
            return;
    run->object = port;
    place_judge(run, target_worst(tried.calls, n_targets));
    if (own->result == ATTEMPT_THROUGH)
        probe_found_control(run, VERDICT_OK, "port %s of %s: listens", port, listeners[0].address);
    else
        place_judge_control(run, own);
    run->object = NULL;
}

void probe_tcp(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    _cleanup_(tcp_list_done) struct tcp_list listeners = {};
    struct call own[] = { CALL("reach-own") };
    int r;

    if (outside_is_missing(run))
        return;
    r = tcp_list_read(&listeners);
    if (r < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: /proc/net/tcp: %s", strerror(-r));
        probe_found_control(run, VERDICT_FAIL, "could not be tried: /proc/net/tcp");
        return;
    }
    if (probe_wants_object(run, "canary"))
        try_tcp_canary(run);
    place_run(run, &sandbox, own, 1);
    for (size_t i = 0, end; i < listeners.n; i = end) {
        for (end = i + 1; end < listeners.n && listeners.list[end].port == listeners.list[i].port;)
            end++;
        try_port(run, &listeners.list[i], end - i, own);
    }
    run->object = NULL;
    if (run->findings.n == 0)
        probe_skip(run, "nothing listens there, or the sandbox may reach it");
}
