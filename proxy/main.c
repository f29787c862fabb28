/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "proxy/ca-publish.h"
#include "proxy/client.h"
#include "proxy/leaf.h"
#include "proxy/listen.h"
#include "proxy/log-journal.h"
#include "proxy/log.h"
#include "proxy/policy.h"
#include "proxy/pool.h"
#include "proxy/proxy.h"
#include "proxy/route.h"
#include "proxy/signer.h"
#include "proxy/tls.h"

#define SIGNER_PROGRAM PKGLIBEXECDIR "/egress-signer"

/* For everything that is no client and no origin: sockets of our own, DNS, the log. */
#define OTHER_DESCRIPTORS 128

/* The names under which the service manager passes what is no socket (OpenFile= in the unit). */
#define KEY_NAME "ca-key"
#define CERTIFICATE_NAME "ca-certificate"

/* A tree that stands for /, "" for the running system: for tests. */
static const char *root = "";
static const char *log_directory = EGRESS_LOG_DIR;

struct passed {
    int key, certificate;
    int listening[4];
    size_t n_listening;
};

static void say(const struct proxy *proxy, const char *level, const char *what, int r)
{
    fprintf(stderr, "%segress %s: %s: %s\n", level, proxy->sandbox, what, strerror(-r));
}

static void on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    const struct proxy *proxy = userdata;

    if (line > 0)
        fprintf(stderr, SD_ERR "egress %s: %s:%u: %s\n", proxy->sandbox, file, line, message);
    else
        fprintf(stderr, SD_ERR "egress %s: %s: %s\n", proxy->sandbox, file, message);
}

/* Also what is open already stays: its next request meets the new policy. */
static int reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    struct proxy *proxy = userdata;
    struct policy *policy;
    uint64_t now;

    (void)source;
    (void)info;
    sd_event_now(proxy->event, CLOCK_MONOTONIC, &now);
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now);
    int r = policy_load(root, proxy->sandbox, proxy->policy, on_problem, proxy, &policy);
    if (r < 0)
        say(proxy, SD_ERR, "the policy cannot be read again, and the old one goes on", r);
    else {
        policy_free(proxy->policy);
        proxy->policy = policy;
    }
    resolver_reload(proxy->dialler.resolver);
    sd_notify(0, "READY=1");
    return 0;
}

static int take_passed(struct passed *passed)
{
    char **names = NULL;

    *passed = (struct passed){ .key = -1, .certificate = -1 };
    int n = sd_listen_fds_with_names(1, &names);
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++) {
        int fd = SD_LISTEN_FDS_START + i;

        if (strcmp(names[i], KEY_NAME) == 0)
            passed->key = fd;
        else if (strcmp(names[i], CERTIFICATE_NAME) == 0)
            passed->certificate = fd;
        else if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) > 0 && passed->n_listening < 4)
            passed->listening[passed->n_listening++] = fd;
        free(names[i]);
    }
    free(names);
    return 0;
}

/* Sessions from before the authority was replaced trust the one that was there then. */
static int read_chain(const char *sandbox, STACK_OF(X509) * *ret)
{
    _cleanup_free_ char *path = NULL;

    if (asprintf(&path, "%s" EGRESS_PUBLIC_DIR "/%s", root, sandbox) < 0)
        return -ENOMEM;
    _cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    *ret = ca_read_bridges(dir);
    return *ret ? 0 : -ENOMEM;
}

/* Both the key and the way to it are gone before the first byte is read from anybody. */
static int start_signer(struct proxy *proxy, struct passed *passed, const char *program)
{
    STACK_OF(X509) *chain = NULL;
    pid_t pid;
    int socket;

    int r = signer_start(program, passed->key, passed->certificate, &pid, &socket);
    close(steal_fd(&passed->key));
    close(steal_fd(&passed->certificate));
    if (r < 0)
        return r;
    r = read_chain(proxy->sandbox, &chain);
    if (r < 0) {
        close(socket);
        return r;
    }
    return leaves_new(proxy->event, socket, chain, &proxy->leaves);
}

/* A client can have an origin, and both a pooled one. */
static int set_caps(struct proxy *proxy)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    if (limit.rlim_cur < 2 * OTHER_DESCRIPTORS)
        return -EMFILE;
    proxy->clients_max = (limit.rlim_cur - OTHER_DESCRIPTORS) / 2;
    return 0;
}

static int add_signals(struct proxy *proxy)
{
    signal(SIGPIPE, SIG_IGN);
    int r = sd_event_set_signal_exit(proxy->event, true);
    if (r < 0)
        return r;
    return sd_event_add_signal(proxy->event, NULL, SIGHUP | SD_EVENT_SIGNAL_PROCMASK, reload,
                               proxy);
}

static int set_up(struct proxy *proxy, struct passed *passed, const char *signer)
{
    int r = sd_event_default(&proxy->event);
    if (r < 0)
        return r;
    r = add_signals(proxy);
    if (r < 0)
        return r;
    r = sd_event_set_watchdog(proxy->event, true);
    if (r < 0)
        return r;
    r = set_caps(proxy);
    if (r < 0) {
        say(proxy, SD_ERR, "the limit of open files is too low (LimitNOFILE= in the unit)", r);
        return r;
    }
    r = start_signer(proxy, passed, signer);
    if (r < 0) {
        say(proxy, SD_ERR, "cannot start the signer", r);
        return r;
    }
    r = policy_load(root, proxy->sandbox, NULL, on_problem, proxy, &proxy->policy);
    if (r < 0) {
        say(proxy, SD_ERR, "there is no policy in force for this sandbox (sandboxctl apply)", r);
        return r;
    }
    r = log_new(log_directory, proxy->sandbox, LOG_JOURNAL_SOCKET, &proxy->log);
    if (r < 0)
        return r;
    r = timers_init(&proxy->timers, proxy->event);
    if (r < 0)
        return r;
    r = later_init(&proxy->later, proxy->event);
    if (r < 0)
        return r;
    proxy->dialler.event = proxy->event;
    proxy->dialler.route = route_open();
    if (proxy->dialler.route < 0)
        return proxy->dialler.route;
    r = resolver_new(proxy->event, &proxy->dialler.resolver);
    if (r < 0)
        return r;
    r = pool_new(proxy, &proxy->pool);
    if (r < 0)
        return r;
    r = tls_new_for_clients(client_certificate, &proxy->client_tls);
    if (r < 0)
        return r;
    r = listeners_new(proxy, &proxy->listeners);
    for (size_t i = 0; r >= 0 && i < passed->n_listening; i++)
        r = listeners_add(proxy->listeners, passed->listening[i]);
    return r;
}

static void usage(void)
{
    puts("egress [--log-directory=DIR] [--root=DIR] [--signer=PROGRAM] SANDBOX\n\n"
         "The proxy of one sandbox. Started by pam-sandbox-egress@.socket, which passes\n"
         "it what to listen on; see pam-sandbox-egress(8).");
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { "log-directory", required_argument, NULL, 'l' },
        { "root", required_argument, NULL, 'r' },
        { "signer", required_argument, NULL, 's' },
        { 0 },
    };
    static struct proxy proxy;
    const char *signer = SIGNER_PROGRAM;
    struct passed passed;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 'h':
            usage();
            return 0;
        case 'v':
            puts("pam-sandbox " PACKAGE_VERSION);
            return 0;
        case 'l':
            log_directory = optarg;
            break;
        case 'r':
            root = optarg;
            break;
        case 's':
            signer = optarg;
            break;
        default:
            return 2;
        }
    if (optind + 1 != argc) {
        fprintf(stderr, "%s: takes the name of a sandbox\n", argv[0]);
        return 2;
    }
    proxy.sandbox = argv[optind];

    int r = take_passed(&passed);
    if (r < 0 || passed.n_listening == 0 || passed.key < 0 || passed.certificate < 0) {
        fprintf(stderr,
                SD_ERR "egress %s: needs a listening socket and the descriptors %s and %s "
                       "from the service manager\n",
                proxy.sandbox, KEY_NAME, CERTIFICATE_NAME);
        return 2;
    }
    r = set_up(&proxy, &passed, signer);
    if (r < 0) {
        say(&proxy, SD_ERR, "cannot start", r);
        return 1;
    }
    sd_notify(0, "READY=1");
    r = sd_event_loop(proxy.event);
    sd_notify(0, "STOPPING=1");
    if (r < 0)
        say(&proxy, SD_ERR, r == -EPIPE ? "the signer has ended" : "the event loop failed", r);
    return r < 0 ? 1 : 0;
}
