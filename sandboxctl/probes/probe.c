/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/probe.h"

#include "conf/cleanup.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>

#define ANOTHER "another user is admitted by the same service"

const struct probe probes[] = {
    {
        .name = "entry-su",
        .what = "enter through PAM service su",
        .control = ANOTHER,
        .stopped_by = "account phase",
        .run = probe_entry_su,
    },
    {
        .name = "entry-login",
        .what = "enter through PAM service login",
        .control = ANOTHER,
        .stopped_by = "account phase",
        .run = probe_entry_login,
    },
    {
        .name = "entry-ssh",
        .what = "enter through PAM service sshd",
        .control = ANOTHER,
        .stopped_by = "account phase",
        .run = probe_entry_ssh,
    },
    {
        .name = "entry-cron",
        .what = "enter through PAM service cron",
        .control = ANOTHER,
        .stopped_by = "account phase",
        .run = probe_entry_cron,
    },
    {
        .name = "entry-not-ready",
        .what = "open a session while the ready file is away",
        .control = "the same with the ready file there",
        .stopped_by = "ready file",
        .run = probe_entry_not_ready,
    },
    {
        .name = "entry-door",
        .what = "enter it through the door as a user whom its configuration does not name",
        .control = "root enters",
        .stopped_by = "allow-users, allow-groups",
        .company = PROBE_ALONE,
        .run = probe_entry_door,
    },
    {
        .name = "entry-door-own",
        .what = "enter through the door as the sandbox itself",
        .control = "root enters",
        .stopped_by = "the door, sockets policy",
        .company = PROBE_ALONE,
        .run = probe_entry_door_own,
    },
    {
        .name = "run0-env",
        .what = "see a variable of deny-env in root's own run0 session",
        .control = "another variable passes",
        .stopped_by = "environment",
        .of_host = true,
        .run = probe_run0_env,
    },
    {
        .name = "env-fixed",
        .what = "see a variable or value that is not the session's own",
        .control = "the session's own list is there, value for value",
        .stopped_by = "environment",
        .run = probe_env_fixed,
    },
    {
        .name = "env-job-variables",
        .what = "see a variable ACTIONS_… of the caller anywhere it can read",
        .control = "root sees it",
        .stopped_by = "environment, view, bus policy",
        .run = probe_env_job_variables,
    },
    {
        .name = "environ-other",
        .what = "read the environment of another user's process",
        .control = "root reads it",
        .stopped_by = "uid, private /proc",
        .run = probe_environ_other,
    },
    {
        .name = "proc-other",
        .what = "see another user's process in /proc",
        .control = "root sees it",
        .stopped_by = "private /proc",
        .run = probe_proc_other,
    },
    {
        .name = "sudo",
        .what = "become root with sudo",
        .control = "root can",
        .stopped_by = "account phase, sudoers fragment, set-id policy",
        .run = probe_sudo,
    },
    {
        .name = "polkit",
        .what = "be authorised by polkit for what it gives to everybody",
        .control = "another user is authorised",
        .stopped_by = "polkit rule, bus policy, sockets policy",
        .run = probe_polkit,
    },
    {
        .name = "pkexec",
        .what = "become root with pkexec",
        .control = "root can",
        .stopped_by = "polkit rule, set-id policy",
        .run = probe_pkexec,
    },
    {
        .name = "run0",
        .what = "become root with run0",
        .control = "root can",
        .stopped_by = "polkit rule, bus policy, sockets policy",
        .run = probe_run0,
    },
    {
        .name = "setid:",
        .what = "gain privilege from each set-id or capability-bearing program",
        .control = "another user's exec of it passes, and the sandbox's of newuidmap",
        .stopped_by = "set-id policy",
        .objects = "PROGRAM",
        .run = probe_set_id,
    },
    {
        .name = "groups",
        .what = "be in a group that is root by another name",
        .control = "its configured groups are there",
        .stopped_by = "configuration",
        .run = probe_groups,
    },
    {
        .name = "lock-sudo",
        .what = "as the locked user: become root with sudo, or be told by it that it may anything",
        .control = "root can",
        .stopped_by = "sudoers fragment, account phase, set-id policy",
        .of_host = true,
        .run = probe_lock_sudo,
    },
    {
        .name = "lock-polkit",
        .what = "as the locked user: be authorised by polkit for any action",
        .control = "another user is authorised",
        .stopped_by = "polkit rule",
        .of_host = true,
        .run = probe_lock_polkit,
    },
    {
        .name = "lock-su",
        .what = "as the locked user: become root with su, or any program that asks PAM",
        .control = "another user is admitted by the same service",
        .stopped_by = "account phase, set-id policy",
        .of_host = true,
        .run = probe_lock_su,
    },
    {
        .name = "lock-group:",
        .what = "as the locked user: open what a group opens that is root by another name",
        .control = "another user in the group opens it",
        .stopped_by = "groups policy, sockets policy",
        .objects = "GROUP",
        .of_host = true,
        .run = probe_lock_group,
    },
    {
        .name = "lock-reads",
        .what = "as the locked user: read the environment or trace the memory of its own process",
        .control = "another user can",
        .stopped_by = "reads policy",
        .of_host = true,
        .run = probe_lock_reads,
    },
    {
        .name = "linger",
        .what = "have its user manager outlive its sessions",
        .control = "another user may ask logind",
        .stopped_by = "polkit rule, bus policy, sockets policy",
        .run = probe_linger,
    },
    {
        .name = "cron",
        .what = "leave a crontab",
        .control = "another user can",
        .stopped_by = "view, account phase, set-id policy",
        .run = probe_cron,
    },
    {
        .name = "at",
        .what = "leave a job with at",
        .control = "another user can",
        .stopped_by = "view, account phase, set-id policy",
        .run = probe_at,
    },
    {
        .name = "limits-tasks",
        .what = "have more tasks than the limit",
        .control = "just below it works",
        .stopped_by = "slice",
        .company = PROBE_ALONE,
        .run = probe_limits_tasks,
    },
    {
        .name = "limits-memory",
        .what = "use more memory than the limit",
        .control = "below it works",
        .stopped_by = "slice",
        .company = PROBE_ALONE,
        .run = probe_limits_memory,
    },
    {
        .name = "limits-runtime",
        .what = "have a session that lasts longer than the limit",
        .control = "it lasts until then",
        .stopped_by = "scope",
        .run = probe_limits_runtime,
    },
    {
        .name = "limits-files",
        .what = "open more files than the limit",
        .control = "just below it works",
        .stopped_by = "rlimit",
        .run = probe_limits_files,
    },
    {
        .name = "view-root",
        .what = "write a directory of the host that its group may write",
        .control = "it writes its home",
        .stopped_by = "view",
        .run = probe_view_root,
    },
    {
        .name = "view-manager",
        .what = "write there from a user service with its path settings cleared",
        .control = "the service writes the home",
        .stopped_by = "view",
        .run = probe_view_manager,
    },
    {
        .name = "view-socket",
        .what = "write there from a socket-activated user service",
        .control = "the service writes the home",
        .stopped_by = "view",
        .run = probe_view_socket,
    },
    {
        .name = "view-pam",
        .what = "write there from the view of its PAM handlers",
        .control = "they write the home",
        .stopped_by = "view",
        .run = probe_view_pam,
    },
    {
        .name = "view-nested",
        .what = "write there from nested namespaces, after a remount",
        .control = "the nested namespaces write the home",
        .stopped_by = "locked mounts",
        .run = probe_view_nested,
    },
    {
        .name = "view-late-mount",
        .what = "write a mount made on the host after the session began",
        .control = "root writes it",
        .stopped_by = "propagation",
        .run = probe_view_late_mount,
    },
    {
        .name = "tmp-private",
        .what = "find or plant a file in the host's /tmp, /var/tmp, /dev/shm",
        .control = "a file of its own is seen in a second session and in a user service",
        .stopped_by = "view",
        .run = probe_tmp_private,
    },
    {
        .name = "pam-handler",
        .what = "trace or write the memory of its PAM handlers, or open their /proc/PID/root",
        .control = "the same on a child",
        .stopped_by = "not dumpable",
        .run = probe_pam_handler,
    },
    {
        .name = "private-path:",
        .what = "list or enter a directory of private-paths",
        .control = "its owner does",
        .stopped_by = "view",
        .objects = "DIR",
        .of_paths = true,
        .run = probe_private_path,
    },
    {
        .name = "world-write",
        .what = "write a file and a directory of root's that everybody may write",
        .control = "another user does, and it writes its own and a sticky directory",
        .stopped_by = "world-write policy",
        .run = probe_world_write,
    },
    {
        .name = "world-write-later",
        .what = "write there when it could only read them as the session began",
        .control = "another user does",
        .stopped_by = "world-write policy",
        .run = probe_world_write_later,
    },
    {
        .name = "socket:",
        .what = "connect to each Unix socket of others that has a path",
        .control = "root finds it there, and the sandbox's own answer",
        .stopped_by = "sockets policy",
        .objects = "PATH",
        .run = probe_socket,
    },
    {
        .name = "abstract:",
        .what = "connect to each abstract Unix socket of others",
        .control = "root finds it there, and the sandbox's own answer",
        .stopped_by = "sockets policy",
        .objects = "NAME",
        .run = probe_abstract,
    },
    {
        .name = "family:",
        .what = "make a socket of each address family that is neither Unix, IP nor netlink",
        .control = "another user is not denied it, and the sandbox makes those three",
        .stopped_by = "families policy",
        .objects = "NAME",
        .run = probe_family,
    },
    {
        .name = "dbus:",
        .what = "call a method, which asks polkit nothing, of each service of the system bus",
        .control = "root can",
        .stopped_by = "sockets policy, bus policy",
        .objects = "SERVICE",
        .run = probe_dbus,
    },
    {
        .name = "resolve",
        .what = "ask systemd-resolved, by its own socket and by the bus",
        .control = "root can",
        .stopped_by = "sockets policy, bus policy",
        .run = probe_resolve,
    },
    {
        .name = "peer-sandbox",
        .what = "reach files, processes, sockets and proxy of the next sandbox",
        .control = "that one reaches its own",
        .stopped_by = "uid, view, firewall, world-write, sockets and reads policies",
        .run = probe_peer_sandbox,
    },
    {
        .name = "lsm-tamper",
        .what = "change, replace or take a program, map or pin of the kernel policy",
        .control = "root reads its pins",
        .stopped_by = "self policy, mode of the pins",
        .run = probe_lsm_tamper,
    },
    {
        .name = "tcp:",
        .what = "connect to each TCP port of this host that others listen at",
        .control = "another user reaches one of root's, and the sandbox its own",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .objects = "PORT",
        .run = probe_tcp,
    },
    {
        .name = "direct",
        .what = "connect to addresses around its proxy",
        .control = "another user does",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_direct,
    },
    {
        .name = "udp",
        .what = "send datagrams out of the host, and to it",
        .control = "another user is answered",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_udp,
    },
    {
        .name = "icmp",
        .what = "send echo requests, with a capability that it does not have",
        .control = "another user is answered",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_icmp,
    },
    {
        .name = "ipv6",
        .what = "reach IPv6 addresses around its proxy",
        .control = "another user does",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_ipv6,
    },
    {
        .name = "dns",
        .what = "ask at port 53, outside and on this host",
        .control = "another user is answered",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_dns,
    },
    {
        .name = "metadata4",
        .what = "reach the IPv4 addresses of clouds' metadata",
        .control = "another user does",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_metadata4,
    },
    {
        .name = "metadata6",
        .what = "reach the IPv6 addresses of clouds' metadata",
        .control = "another user does",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_metadata6,
    },
    {
        .name = "wireserver",
        .what = "reach the address of Azure's host agent",
        .control = "another user does",
        .stopped_by = "firewall",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_wireserver,
    },
    {
        .name = "egress-read",
        .control = "read through the proxy, by plain HTTP and by TLS, as its environment says",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_read,
    },
    {
        .name = "egress-git",
        .control = "git reads through the proxy",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_git,
    },
    {
        .name = "egress-npm",
        .control = "npm reads through the proxy",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_npm,
    },
    {
        .name = "egress-pip",
        .control = "pip reads through the proxy",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_pip,
    },
    {
        .name = "egress-cargo",
        .control = "cargo reads through the proxy",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_cargo,
    },
    {
        .name = "egress-wget",
        .control = "wget reads through the proxy, and trusts it without being told",
        .stopped_by = "",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_wget,
    },
    {
        .name = "egress-post",
        .what = "send data by POST without a rule",
        .control = "with a rule it arrives",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_post,
    },
    {
        .name = "egress-push",
        .what = "send a git push without a rule",
        .control = "with a rule it arrives",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_push,
    },
    {
        .name = "egress-body-on-get",
        .what = "send data as the body of a GET",
        .control = "with a rule it arrives",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_body_on_get,
    },
    {
        .name = "egress-websocket",
        .what = "open a WebSocket without a rule",
        .control = "with a rule it opens",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_websocket,
    },
    {
        .name = "egress-allow",
        .what = "read from a host that egress.allow does not name",
        .control = "without that list it is read",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_allow,
    },
    {
        .name = "egress-feed",
        .what = "read from a host on the threat feed",
        .control = "without the feed it is read",
        .stopped_by = "proxy's rules",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_feed,
    },
    {
        .name = "egress-fronting",
        .what = "name one host to the proxy and another in the request or the handshake",
        .control = "a request that names one is answered",
        .stopped_by = "proxy",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_fronting,
    },
    {
        .name = "egress-literal",
        .what = "spell an address so that it is not taken for one",
        .control = "one that is spelt plainly is reached",
        .stopped_by = "proxy",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_literal,
    },
    {
        .name = "egress-rebind",
        .what = "reach a name that has a private address beside another",
        .control = "a name without one is reached",
        .stopped_by = "proxy",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_rebind,
    },
    {
        .name = "egress-private",
        .what = "reach private addresses and this host through the proxy, and as the proxy's user",
        .control = "another user reaches them, and the sandbox others through the proxy",
        .stopped_by = "proxy, firewall",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_private,
    },
    {
        .name = "egress-metadata",
        .what = "reach metadata addresses through the proxy, and as the proxy's user",
        .control = "another user reaches them, and the sandbox others through the proxy",
        .stopped_by = "proxy, firewall",
        .needs = PROBE_NEEDS_TWIN,
        .run = probe_egress_metadata,
    },
    {
        .name = "egress-raw",
        .what = "speak neither TLS nor HTTP in a tunnel",
        .control = "TLS passes",
        .stopped_by = "proxy",
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_egress_raw,
    },
    {
        .name = "container-build",
        .control = "build an image with a step that reads through the proxy, and read from it",
        .stopped_by = "",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container_build,
    },
    {
        .name = "container-tcp",
        .what = "connect to TCP ports of this host that others listen at, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-direct",
        .what = "connect to addresses around its proxy, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-udp",
        .what = "send datagrams out of the host, and to it, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-ipv6",
        .what = "reach IPv6 addresses around its proxy, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-dns",
        .what = "ask at port 53, outside and on this host, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-metadata4",
        .what = "reach the IPv4 addresses of clouds' metadata, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-metadata6",
        .what = "reach the IPv6 addresses of clouds' metadata, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-wireserver",
        .what = "reach the address of Azure's host agent, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "firewall",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-socket",
        .what = "connect to a Unix socket of root's that has a path, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "sockets policy",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-abstract",
        .what = "connect to an abstract Unix socket of root's, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "sockets policy",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-view",
        .what = "write a directory of the host that its group may write, from a container",
        .control = "root writes it, and containers read through the proxy",
        .stopped_by = "view",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "container-world-write",
        .what = "write a file and a directory of root's that everybody may write, from a container",
        .control = "another user does, and containers read through the proxy",
        .stopped_by = "world-write policy",
        .company = PROBE_CONTAINER,
        .needs = PROBE_NEEDS_OUTSIDE,
        .run = probe_container,
    },
    {
        .name = "kvm",
        .control = "open /dev/kvm, where there is one and its group is the sandbox's",
        .stopped_by = "",
        .run = probe_kvm,
    },
    {
        .name = "reap",
        .what = "keep a process that left its session",
        .control = "it is there during the session",
        .stopped_by = "reaper",
        .company = PROBE_LAST,
        .run = probe_reap,
    },
    { NULL },
};

void findings_done(struct findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        free(findings->list[i].name);
        free(findings->list[i].sandbox);
        free(findings->list[i].text);
    }
    free(findings->list);
    *findings = (struct findings){};
}

bool probe_is_wanted(const struct probe *probe, const char *object, char *const *patterns, size_t n)
{
    _cleanup_free_ char *name = NULL, *control = NULL;

    if (n == 0)
        return true;
    if (asprintf(&name, "%s%s", probe->name, object ? object : "") < 0)
        return true;
    if (asprintf(&control, "%s-control", name) < 0)
        return true;

    for (size_t i = 0; i < n; i++)
        if (fnmatch(patterns[i], name, 0) == 0 || fnmatch(patterns[i], control, 0) == 0)
            return true;
    return false;
}

bool probe_wants_object(const struct probe_run *run, const char *object)
{
    return probe_is_wanted(run->probe, NULL, run->patterns, run->n_patterns) ||
           probe_is_wanted(run->probe, object, run->patterns, run->n_patterns);
}

bool probe_may_be_wanted(const struct probe *probe, char *const *patterns, size_t n)
{
    if (probe_is_wanted(probe, NULL, patterns, n))
        return true;
    if (!probe->objects)
        return false;
    /* What stands before the first character that may stand for others. */
    for (size_t i = 0; i < n; i++) {
        size_t literal = strcspn(patterns[i], "*?[\\"), name = strlen(probe->name);

        if (strncmp(patterns[i], probe->name, literal < name ? literal : name) == 0 &&
            (literal >= name || patterns[i][literal]))
            return true;
    }
    return false;
}

__attribute__((format(printf, 4, 0))) static void add(struct probe_run *run, bool control,
                                                      enum verdict verdict, const char *format,
                                                      va_list arguments)
{
    struct findings *findings = &run->findings;
    struct finding finding = { .verdict = verdict, .control = control };
    struct finding *list = reallocarray(findings->list, findings->n + 1, sizeof *list);

    /* A finding that is lost would read as one that was never asked for. */
    if (!list || vasprintf(&finding.text, format, arguments) < 0 ||
        asprintf(&finding.name, "%s%s%s", run->probe->name, run->object ? run->object : "",
                 control ? "-control" : "") < 0 ||
        (run->sandbox && !(finding.sandbox = strdup(run->sandbox->name))))
        abort();

    /* Part of it is a session's words, which must not become lines or terminal codes of ours. */
    for (char *c = finding.text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\177')
            *c = ' ';
    findings->list = list;
    findings->list[findings->n++] = finding;
}

void probe_found(struct probe_run *run, enum verdict verdict, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(run, false, verdict, format, arguments);
    va_end(arguments);
}

void probe_found_control(struct probe_run *run, enum verdict verdict, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(run, true, verdict, format, arguments);
    va_end(arguments);
}

void probe_skip(struct probe_run *run, const char *format, ...)
{
    va_list arguments;

    if (run->probe->what) {
        va_start(arguments, format);
        add(run, false, VERDICT_SKIP, format, arguments);
        va_end(arguments);
    }
    va_start(arguments, format);
    add(run, true, VERDICT_SKIP, format, arguments);
    va_end(arguments);
}
