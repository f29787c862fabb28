/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/outside.h"

#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* ip(8) and the server take a moment each. */
#define READY_MSEC 20000

/* Before the rules of the host, which begin with 32766, and those of VPNs, behind that for
 * addresses of this host, 0. */
#define RULE_PRIORITY 50

__attribute__((format(printf, 2, 3))) static bool fail(struct outside *outside, const char *format,
                                                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(outside->problem, sizeof outside->problem, format, arguments);
    va_end(arguments);
    return false;
}

/* Of what the token says, so that two checks at the same time do not meet. The blocks are those of
 * RFC 7450 and of RFC 7535: globally reachable, so that nothing denies them, and hardly anybody's:
 * two addresses of the first are taken from the proxies for the time of the check, and from
 * nobody else. */
static void choose_names(struct outside *outside, const char *token)
{
    const unsigned long number = strtoul(token + strlen(token) - 7, NULL, 16);

    snprintf(outside->interface, sizeof outside->interface, "psc%07lx", number);
    outside->table = 0x10000000U + (unsigned)number;
    snprintf(outside->source4, sizeof outside->source4, "192.52.193.%lu", 4 * (number % 64) + 1);
    snprintf(outside->origin4, sizeof outside->origin4, "192.52.193.%lu", 4 * (number % 64) + 2);
    snprintf(outside->another4, sizeof outside->another4, "192.52.193.%lu", 4 * (number % 64) + 3);
    snprintf(outside->source6, sizeof outside->source6, "2620:4f:8000:%lx::1", number & 0xffff);
}

/* Lines for ip(8), in the namespace that this process is in. */
__attribute__((format(printf, 3, 4))) static int run_ip(const char *family, char *output,
                                                        const char *format, ...)
{
    const char *const command[] = { "ip", family, "-batch", "-", NULL };
    _cleanup_free_ char *lines = NULL;
    va_list arguments;
    int r;

    va_start(arguments, format);
    r = vasprintf(&lines, format, arguments);
    va_end(arguments);
    return r < 0 ? -ENOMEM : attempt_capture(command, lines, output, 256);
}

/* A host without IPv6 is not one where the way could not be made. */
static bool host_has_ipv6(void)
{
    _cleanup_fclose_ FILE *file = fopen("/proc/net/if_inet6", "re");

    return file && fgetc(file) != EOF;
}

/* The host's end. Both ends have one hardware address and ask nobody for another: every address is
 * behind this interface. */
static bool make_way(struct outside *outside)
{
    char output[256];
    int r;

    r = run_ip("-4", output,
               "link add %s address 02:00:00:00:00:01 type veth peer name outside"
               " address 02:00:00:00:00:01 netns %d\n"
               "link set %s arp off\n"
               "address add %s/32 dev %s\n"
               "link set %s up\n"
               "route add default dev %s table %u src %s\n"
               "rule add from %s lookup %u priority %u\n",
               outside->interface, (int)outside->server, outside->interface, outside->source4,
               outside->interface, outside->interface, outside->interface, outside->table,
               outside->source4, outside->source4, outside->table, RULE_PRIORITY);
    if (r == 0 && outside->proxy != (uid_t)-1)
        r = run_ip("-4", output, "rule add to %s/31 uidrange %u-%u lookup %u priority %u\n",
                   outside->origin4, (unsigned)outside->proxy, (unsigned)outside->proxy,
                   outside->table, RULE_PRIORITY);
    if (r == 0 && outside->has_ipv6)
        r = run_ip("-6", output,
                   "address add %s/128 dev %s nodad\n"
                   "route add default dev %s table %u src %s\n"
                   "rule add from %s lookup %u priority %u\n",
                   outside->source6, outside->interface, outside->interface, outside->table,
                   outside->source6, outside->source6, outside->table, RULE_PRIORITY);
    if (r == -ENOENT)
        return fail(outside, "there is no program ip; install iproute2");
    if (r != 0)
        return fail(outside, "ip ended with status %d: %s", r, attempt_last_line(output));
    return true;
}

/* The other end: every address is here. */
static bool make_other_end(const struct outside *outside)
{
    char output[256];
    int r;

    r = run_ip("-4", output,
               "link set lo up\n"
               "link set outside arp off\n"
               "link set outside up\n"
               "route add local default dev lo table local\n"
               "route add %s dev outside table local\n",
               outside->source4);
    if (r == 0 && outside->has_ipv6)
        r = run_ip("-6", output,
                   "route add local default dev lo table local\n"
                   "route add %s dev outside table local\n",
                   outside->source6);
    return r == 0;
}

static bool wait_for(int fd, void *data, size_t size)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

    return poll(&poll_fd, 1, READY_MSEC) > 0 && read(fd, data, size) == (ssize_t)size;
}

static bool enter_namespace(pid_t pid)
{
    char path[64];
    _cleanup_close_ int fd = -EBADF;

    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
}

/* In a process of its own, as this one stays where it is. */
static bool run_in_namespace(const struct outside *outside)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(!enter_namespace(outside->server) || !make_other_end(outside));
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void take_hello(struct outside *outside, const struct outside_hello *hello)
{
    snprintf(outside->local_tcp, sizeof outside->local_tcp, "%u", hello->tcp);
    if (hello->tcp6)
        snprintf(outside->local_tcp6, sizeof outside->local_tcp6, "%u", hello->tcp6);
    snprintf(outside->local_own, sizeof outside->local_own, "%u", hello->own);
    snprintf(outside->local_udp, sizeof outside->local_udp, "%u", hello->udp);
    inet_ntop(AF_INET, &hello->dns, outside->local_dns, sizeof outside->local_dns);
}

static bool talk(struct outside *outside, int in, int out)
{
    struct outside_hello hello;
    char go = 0;

    if (!wait_for(in, &hello, sizeof hello))
        return fail(outside, "the process that answers ended");
    if (hello.error < 0)
        return fail(outside, "listening on this host, and a network namespace: %s",
                    strerror(-hello.error));
    take_hello(outside, &hello);
    if (!make_way(outside))
        return false;
    if (!run_in_namespace(outside))
        return fail(outside, "the network namespace could not be set up");
    if (write(out, &go, 1) != 1 || !wait_for(in, &hello, sizeof hello))
        return fail(outside, "the process that answers ended");
    if (hello.error < 0)
        return fail(outside, "listening outside: %s", strerror(-hello.error));
    return true;
}

bool outside_begin(struct outside *outside, const char *token, uid_t proxy)
{
    int from[2] = { -EBADF, -EBADF }, to[2] = { -EBADF, -EBADF };
    bool there;

    *outside = (struct outside){ .server = -1, .proxy = proxy };
    choose_names(outside, token);
    outside->has_ipv6 = host_has_ipv6();
    if (pipe2(from, O_CLOEXEC) < 0 || pipe2(to, O_CLOEXEC) < 0) {
        cleanup_closep(&from[0]);
        cleanup_closep(&from[1]);
        return fail(outside, "pipe: %m");
    }
    outside->server = fork();
    if (outside->server == 0) {
        close(from[0]);
        close(to[1]);
        outside_serve(outside, to[0], from[1]);
    }
    close(steal_fd(&from[1]));
    close(steal_fd(&to[0]));
    there = outside->server > 0 ? talk(outside, from[0], to[1]) : fail(outside, "fork: %m");
    close(from[0]);
    close(to[1]);
    if (!there)
        outside_end(outside);
    return there;
}

void outside_end(struct outside *outside)
{
    char output[256];

    if (outside->server <= 0)
        return;
    /* The interfaces, and routes through them, go with the namespace. */
    run_ip("-4", output, "link delete %s\n", outside->interface);
    kill(outside->server, SIGKILL);
    waitpid(outside->server, NULL, 0);
    outside->server = -1;
    run_ip("-4", output, "rule delete from %s lookup %u\n", outside->source4, outside->table);
    if (outside->proxy != (uid_t)-1)
        run_ip("-4", output, "rule delete to %s/31 uidrange %u-%u lookup %u\n", outside->origin4,
               (unsigned)outside->proxy, (unsigned)outside->proxy, outside->table);
    if (outside->has_ipv6)
        run_ip("-6", output, "rule delete from %s lookup %u\n", outside->source6, outside->table);
}
