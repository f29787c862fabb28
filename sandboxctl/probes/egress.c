/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sandbox's own proxy lets through. */
#include "sandboxctl/probes/egress.h"
#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/twin.h"

#include "conf/cleanup.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* The proxy refuses a host before anything else. */
#define HOST_REASONS "feed,host-not-allowed"

/* Nowhere, so that what goes through gets no further. */
#define FRONT "front." OUTSIDE_HOST

bool egress_is_off(struct probe_run *run)
{
    if (run->sandbox->egress.proxy)
        return false;
    probe_skip(run, "egress.proxy is false: it reaches any address");
    return true;
}

bool reads_are_limited(struct probe_run *run)
{
    if (!run->sandbox->egress.allow[0])
        return false;
    probe_skip(run, "egress.allow names the hosts that it reads from, and the check has none");
    return true;
}

static bool twin_is_missing(struct probe_run *run)
{
    const char *problem = run->twin ? run->twin->problem : "not started";

    if (!*problem)
        return false;
    probe_found(run, VERDICT_FAIL, "could not be tried: a second proxy: %s", problem);
    probe_found_control(run, VERDICT_FAIL, "could not be tried: a second proxy: %s", problem);
    return true;
}

static bool cannot_be_tried(struct probe_run *run)
{
    return egress_is_off(run) || outside_is_missing(run) || twin_is_missing(run);
}

static void proxy_port(const struct probe_run *run, char port[static 8])
{
    snprintf(port, 8, "%u", config_egress_port(run->sandbox));
}

/* Requests that take a rule: the sandbox's own proxy refuses them by name, and one with a rule gets
 * the origin's answer. */
static void probe_rules(struct probe_run *run, const char *const *names, size_t n,
                        const char *reasons)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    const char *ask[TARGETS_MAX][6], *fetch[TARGETS_MAX][5];
    struct call tried[TARGETS_MAX], control[TARGETS_MAX];
    char port[8];

    if (cannot_be_tried(run))
        return;
    proxy_port(run, port);
    for (size_t i = 0; i < n; i++) {
        const char *const asked[] = { "ask", port, names[i], OUTSIDE_HOST, reasons, NULL };
        const char *const fetched[] = { "fetch", run->twin->port, names[i], OUTSIDE_HOST, NULL };

        memcpy(ask[i], asked, sizeof asked);
        memcpy(fetch[i], fetched, sizeof fetched);
        tried[i] = (struct call){ .argv = ask[i], .result = ATTEMPT_UNTRIED };
        control[i] = (struct call){ .argv = fetch[i], .result = ATTEMPT_UNTRIED };
    }
    place_run(run, &sandbox, tried, n);
    place_run(run, &nobody, control, n);
    place_judge(run, target_worst(tried, n));
    place_judge_control(run, target_best(control, n));
}

void probe_egress_post(struct probe_run *run)
{
    static const char *const names[] = { "post", "post-tunnel", "post-empty" };

    probe_rules(run, names, 3, "no-write-rule," HOST_REASONS);
}

void probe_egress_push(struct probe_run *run)
{
    static const char *const names[] = { "push" };

    probe_rules(run, names, 1, "no-write-rule," HOST_REASONS);
}

void probe_egress_body_on_get(struct probe_run *run)
{
    static const char *const names[] = { "body-on-get" };

    probe_rules(run, names, 1, "body-on-read," HOST_REASONS);
}

void probe_egress_websocket(struct probe_run *run)
{
    static const char *const names[] = { "websocket" };

    probe_rules(run, names, 1, "upgrade," HOST_REASONS);
}

/* An honest request: of the origin by the sandbox's own proxy, or, where that reads from some hosts
 * alone, by the second one. */
static void judge_honest(struct probe_run *run, const char *request)
{
    const bool limited = run->sandbox->egress.allow[0];
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    char port[8];

    proxy_port(run, port);
    struct call control[] = { CALL("fetch", limited ? run->twin->port : port, request,
                                   limited ? OUTSIDE_HOST : run->outside->origin4) };
    place_run(run, limited ? &nobody : &sandbox, control, 1);
    place_judge_control(run, control);
}

void probe_egress_fronting(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    char port[8];

    if (cannot_be_tried(run))
        return;
    proxy_port(run, port);
    struct call tried[] = {
        CALL("ask", port, "fronting", OUTSIDE_HOST, "malformed"),
        CALL("ask", port, "fronting-tunnel", OUTSIDE_HOST, "identity"),
        CALL("ask-tls", port, OUTSIDE_HOST, FRONT, "identity"),
    };
    place_run(run, &sandbox, tried, 3);
    place_judge(run, target_worst(tried, 3));
    judge_honest(run, "read-tunnel");
}

/* Hosts that the sandbox's proxy is asked for, each of which it must refuse for one of the reasons;
 * and what it must not connect to itself, should somebody have taken it over. Of the latter the
 * control is another user. */
static void probe_addresses(struct probe_run *run, const char *const *hosts, size_t n_hosts,
                            const struct target *targets, size_t n_targets)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    const struct passwd *entry = getpwnam(EGRESS_USER);
    struct target_calls by_proxy, control;
    const char *argv[TARGETS_MAX][6];
    struct call tried[TARGETS_MAX];
    const struct call *worst;
    char port[8];

    proxy_port(run, port);
    for (size_t i = 0; i < n_hosts; i++) {
        const char *const words[] = {
            "ask", port, "read", hosts[i], "address,self,malformed," HOST_REASONS, NULL
        };

        memcpy(argv[i], words, sizeof words);
        tried[i] = (struct call){ .argv = argv[i], .result = ATTEMPT_UNTRIED };
    }
    place_run(run, &sandbox, tried, n_hosts);
    worst = target_worst(tried, n_hosts);
    if (n_targets == 0) {
        place_judge(run, worst);
        judge_honest(run, "read");
        return;
    }
    const struct place proxy = { .uid = entry ? entry->pw_uid : 0,
                                 .gid = entry ? entry->pw_gid : 0,
                                 .resident = true };

    target_calls_fill(&by_proxy, targets, n_targets);
    target_calls_fill(&control, targets, n_targets);
    place_run(run, &proxy, by_proxy.calls, n_targets);
    place_run(run, &nobody, control.calls, n_targets);
    if (worst->result == ATTEMPT_REFUSED)
        worst = target_worst(by_proxy.calls, n_targets);
    place_judge(run, worst);
    if (target_best(control.calls, n_targets)->result != ATTEMPT_THROUGH)
        place_judge_control(run, target_best(control.calls, n_targets));
    else
        judge_honest(run, "read");
}

void probe_egress_literal(struct probe_run *run)
{
    /* RFC 6943, 3.1.1: spellings of an address that some take for one. */
    static const char *const hosts[] = { "2130706433", "0x7f000001",   "0177.0.0.1",
                                         "127.1",      "0x7f.0.0.0x1", "017700000001",
                                         "127.0.0.1.", "[::127.0.0.1]" };

    if (!cannot_be_tried(run))
        probe_addresses(run, hosts, sizeof hosts / sizeof *hosts, NULL, 0);
}

void probe_egress_private(struct probe_run *run)
{
    static const char *const hosts[] = {
        "10.255.254.253",   "172.16.0.1",      "192.168.0.1", "100.64.0.1", "127.0.0.1",
        "localhost",        "[::1]",           "[fd00::1]",   "[fe80::1]",  "[::ffff:10.0.0.1]",
        "[64:ff9b::a00:1]", "[2002:a00:1::1]",
    };
    const char *all[sizeof hosts / sizeof *hosts + 1];

    if (cannot_be_tried(run))
        return;
    /* And an address of this host that is not private at all. */
    memcpy(all, hosts, sizeof hosts);
    all[sizeof hosts / sizeof *hosts] = run->outside->source4;

    const char *source4 = run->outside->source4, *source6 = run->outside->source6;
    const struct target targets[] = {
        { "tcp", source4, "10.255.254.253", "80" },
        { "tcp", source4, "100.64.0.1", "80" },
        { "tcp", "-", "127.0.0.1", run->outside->local_tcp },
        { "tcp", "-", source4, run->outside->local_own },
        { "udp", source4, run->outside->origin4, "443" },
        { "tcp", source6, "fd00::1", "80" },
        { "tcp", "-", "::1", run->outside->local_tcp6 },
    };
    probe_addresses(run, all, sizeof all / sizeof *all, targets, run->outside->has_ipv6 ? 7 : 5);
}

void probe_egress_metadata(struct probe_run *run)
{
    static const char *const hosts[] = { "169.254.169.254", "168.63.129.16", "[fd00:ec2::254]",
                                         "169.254.170.2", "[::ffff:169.254.169.254]" };

    if (cannot_be_tried(run))
        return;
    const struct target targets[] = {
        { "tcp", run->outside->source4, "169.254.169.254", "80" },
        { "tcp", run->outside->source4, "168.63.129.16", "80" },
        { "tcp", run->outside->source6, "fd00:ec2::254", "80" },
    };
    probe_addresses(run, hosts, sizeof hosts / sizeof *hosts, targets,
                    run->outside->has_ipv6 ? 3 : 2);
}

/* Names that lead elsewhere are the second proxy's: nobody else can have them. */
void probe_egress_rebind(struct probe_run *run)
{
    const struct place nobody = PLACE_NOBODY;

    if (cannot_be_tried(run))
        return;
    struct call tried[] = {
        CALL("ask", run->twin->port, "read", TWIN_MIXED_HOST, "address"),
        CALL("ask", run->twin->port, "read-tunnel", TWIN_MIXED_HOST, "address"),
    };
    struct call control[] = { CALL("fetch", run->twin->port, "read", OUTSIDE_HOST) };

    place_run(run, &nobody, tried, 2);
    place_run(run, &nobody, control, 1);
    place_judge(run, target_worst(tried, 2));
    place_judge_control(run, control);
}

void probe_egress_raw(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    char port[8];

    if (egress_is_off(run) || outside_is_missing(run))
        return;
    proxy_port(run, port);
    struct call tried[] = { CALL("ask-raw", port, run->outside->origin4) };
    struct call control[] = { CALL("ask-tls", port, OUTSIDE_HOST, OUTSIDE_HOST, "-") };

    place_run(run, &sandbox, tried, 1);
    place_run(run, &sandbox, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_egress_read(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run);

    if (egress_is_off(run) || reads_are_limited(run) || outside_is_missing(run))
        return;
    struct call calls[] = { CALL("read", run->outside->origin4, OUTSIDE_HOST) };
    place_run(run, &sandbox, calls, 1);
    place_judge_control(run, calls);
}

void probe_egress_allow(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    char port[8];

    if (egress_is_off(run))
        return;
    if (!run->sandbox->egress.allow[0]) {
        probe_skip(run, "egress.allow is empty: it reads from any host");
        return;
    }
    if (cannot_be_tried(run))
        return;
    proxy_port(run, port);
    struct call tried[] = { CALL("ask", port, "read", OUTSIDE_HOST, HOST_REASONS) };
    struct call control[] = { CALL("fetch", run->twin->port, "read", OUTSIDE_HOST) };

    place_run(run, &sandbox, tried, 1);
    place_run(run, &nobody, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_egress_feed(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    char port[8];

    if (egress_is_off(run))
        return;
    if (!run->feed_host || !*run->feed_host) {
        probe_skip(run, "its rules have no feed, or one without a name");
        return;
    }
    if (cannot_be_tried(run))
        return;
    proxy_port(run, port);
    struct call tried[] = { CALL("ask", port, "read", run->feed_host, "feed") };
    struct call control[] = { CALL("fetch", run->twin->port, "read", run->feed_host) };

    place_run(run, &sandbox, tried, 1);
    place_run(run, &nobody, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}
