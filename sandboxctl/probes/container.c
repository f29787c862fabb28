/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/container.h"

#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/egress.h"
#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/world.h"

#include "conf/cleanup.h"
#include "conf/paths.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#define CALLS_MAX 64

/* pasta(1): where a container's own network has this host's loopback interface, if it asks; and
 * what it is made of: an interface of this host, and a source address of each family. */
#define LOOPBACK_THERE "10.255.253.252"
#define PASTA4                                                                                     \
    "--interface,%s,--address,10.255.253.2,--netmask,24,--gateway,10.255.253.1,"                   \
    "--map-host-loopback," LOOPBACK_THERE ",--outbound,%s"
#define PASTA6 "--address,fd00:253::2,--gateway,fd00:253::1,--outbound,%s"

/* Where and as whom. Sockets of a network of its own are made by pasta, with the sandbox's uid. */
static const struct {
    bool own_network;
    const char *user;
} variants[] = {
    { false, "0" },
    { false, "1000" },
    { true, "0" },
    { true, "1000" },
};

/* What is attempted in one container, and of which row each is. */
struct calls {
    struct call list[CALLS_MAX];
    enum container_row rows[CALLS_MAX];
    const char *argv[CALLS_MAX][6];
    char addresses[CONTAINER_ROWS][TARGETS_MAX][INET6_ADDRSTRLEN];
    char words[2 * CONNECT_TYPES][PATH_MAX];
    size_t n;
};

static void add(struct calls *calls, enum container_row row, const char *const *words)
{
    size_t i = 0;

    if (calls->n == CALLS_MAX)
        abort();
    for (; words[i]; i++)
        calls->argv[calls->n][i] = words[i];
    calls->argv[calls->n][i] = NULL;
    calls->list[calls->n] = (struct call){ .argv = calls->argv[calls->n] };
    calls->rows[calls->n++] = row;
}

#define ADD(calls, row, ...) add(calls, row, (const char *const[]){ __VA_ARGS__, NULL })

static size_t fill(struct target *targets, const struct target *list, size_t n)
{
    memcpy(targets, list, n * sizeof *list);
    return n;
}

#define FILL(targets, ...)                                                                         \
    fill(targets, (const struct target[]){ __VA_ARGS__ },                                          \
         sizeof((const struct target[]){ __VA_ARGS__ }) / sizeof(struct target))

size_t container_targets(const struct probe_run *run, enum container_row row, bool own_network,
                         struct target targets[static TARGETS_MAX],
                         char texts[static TARGETS_MAX][INET6_ADDRSTRLEN])
{
    const struct outside *outside = run->outside;
    /* What leaves a network of the container's own gets its source address from pasta. */
    const char *source4 = own_network ? "-" : outside->source4;
    const char *source6 = own_network ? "-" : outside->source6;
    const char *loopback = own_network ? LOOPBACK_THERE : "127.0.0.1";

    switch (row) {
    case CONTAINER_TCP:
        return FILL(targets, { "tcp", "-", loopback, outside->local_tcp },
                    { "tcp", "-", outside->source4, outside->local_own });
    case CONTAINER_DIRECT:
        return FILL(targets, { "tcp", source4, SOMEWHERE4, "80" },
                    { "tcp", source4, SOMEWHERE4, "443" }, { "tcp", source4, PRIVATE4, "443" });
    case CONTAINER_UDP:
        return FILL(targets, { "udp", source4, SOMEWHERE4, "443" },
                    { "udp", "-", loopback, outside->local_udp });
    case CONTAINER_IPV6:
        return FILL(targets, { "tcp", source6, SOMEWHERE6, "443" },
                    { "udp", source6, SOMEWHERE6, "443" });
    case CONTAINER_DNS:
        /* The last two are on the loopback interface, of which the container has one as well. */
        return FILL(targets, { "udp", source4, SOMEWHERE4, "53" },
                    { "tcp", source4, SOMEWHERE4, "53" }, { "udp", "-", outside->local_dns, "53" },
                    { "tcp", "-", outside->local_dns, "53" }) -
               (own_network ? 2 : 0);
    case CONTAINER_METADATA4:
        return metadata_targets(source4, AF_INET, targets, texts);
    case CONTAINER_METADATA6:
        return metadata_targets(source6, AF_INET6, targets, texts);
    case CONTAINER_WIRESERVER:
        return FILL(targets, { "tcp", source4, WIRESERVER, "80" });
    default:
        return 0;
    }
}

static void add_network(struct calls *calls, const struct probe_run *run, bool own)
{
    for (enum container_row row = 0; row < CONTAINER_ROWS; row++) {
        struct target targets[TARGETS_MAX];
        size_t n;

        if ((row == CONTAINER_IPV6 || row == CONTAINER_METADATA6) && !run->outside->has_ipv6)
            continue;
        n = container_targets(run, row, own, targets, calls->addresses[row]);
        for (size_t i = 0; i < n; i++)
            ADD(calls, row, "reach", targets[i].protocol, targets[i].source, targets[i].address,
                targets[i].port);
    }
}

void container_socket_word(const struct probe_run *run, bool abstract, char *word, size_t size,
                           size_t type)
{
    char prefix[PATH_MAX];

    if (abstract)
        snprintf(prefix, sizeof prefix, "@pam-sandbox-check-%s-container", run->token);
    else
        snprintf(prefix, sizeof prefix, "%s/container", run->run_dir);
    connect_canary_word(word, size, prefix, type);
}

/* Names of sockets without a path are of a network namespace. */
static void add_sockets(struct calls *calls, const struct probe_run *run, bool own)
{
    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        char *path = calls->words[i], *name = calls->words[CONNECT_TYPES + i];

        container_socket_word(run, false, path, PATH_MAX, i);
        container_socket_word(run, true, name, PATH_MAX, i);
        ADD(calls, CONTAINER_SOCKET, "connect", path);
        if (!own)
            ADD(calls, CONTAINER_ABSTRACT, "connect", name);
    }
}

static void add_all(struct calls *calls, const struct probe_run *run, bool own, const char *world)
{
    if (run->sandbox->egress.proxy && !run->sandbox->egress.allow[0])
        ADD(calls, CONTAINER_READ, "read", run->outside->origin4, OUTSIDE_HOST);
    else
        ADD(calls, CONTAINER_READ, "reach-own");
    add_network(calls, run, own);
    add_sockets(calls, run, own);
    ADD(calls, CONTAINER_VIEW, "write", run->canary_state, run->canary_run);
    ADD(calls, CONTAINER_WORLD_WRITE, "world-write", world);
}

/* The command of the session that runs the program in a container. */
struct command {
    const char *words[24];
    char text[10][PATH_MAX + 64];
    size_t n, n_text;
};

__attribute__((format(printf, 2, 3))) static void say(struct command *command, const char *format,
                                                      ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command->text[command->n_text], sizeof command->text[0], format, arguments);
    va_end(arguments);
    command->words[command->n++] = command->text[command->n_text++];
}

static void directory_of(const struct probe_run *run, char directory[static PATH_MAX])
{
    snprintf(directory, PATH_MAX, "%s/%s/.pam-sandbox-check-%s", STATE_HOME_DIR, run->sandbox->name,
             run->token);
}

static void image_of(const struct probe_run *run, char image[static 64])
{
    snprintf(image, 64, "localhost/pam-sandbox-check-%s", run->token);
}

/* One of its own is as open as its owner may make it: with addresses and routes where the host has
 * none, and what leaves it sent to the place outside. */
static void say_network(struct command *command, const struct probe_run *run, bool own)
{
    const struct outside *outside = run->outside;

    if (!own)
        say(command, "--network=host");
    else if (!outside->has_ipv6)
        say(command, "--network=pasta:" PASTA4, outside->interface, outside->source4);
    else
        say(command, "--network=pasta:" PASTA4 "," PASTA6, outside->interface, outside->source4,
            outside->source6);
}

static void say_command(struct command *command, const struct probe_run *run, bool own,
                        const char *user, const char *world)
{
    char directory[PATH_MAX], image[64];

    directory_of(run, directory);
    image_of(run, image);
    command->words[command->n++] = "env";
    say(command, "HOME=%s", directory);
    command->words[command->n++] = "podman";
    say(command, "--root=%s/root", directory);
    say(command, "--runroot=%s/run", directory);
    say(command, "--tmpdir=%s/tmp", directory);
    command->words[command->n++] = "run";
    command->words[command->n++] = "--rm";
    command->words[command->n++] = "--pull=never";
    /* The sandbox's own limit is there, and the kernel may have no such controller. */
    command->words[command->n++] = "--pids-limit=0";
    say_network(command, run, own);
    say(command, "--user=%s", user);
    say(command, "--volume=%s:%s", run->run_dir, run->run_dir);
    say(command, "--volume=%s:%s", run->state_dir, run->state_dir);
    say(command, "--volume=%s:%s", world, world);
    say(command, "%s", image);
    command->words[command->n] = NULL;
}

static void take(struct container_result *result, const struct call *call, bool must_work,
                 const char *where)
{
    const enum attempt_result good = must_work ? ATTEMPT_THROUGH : ATTEMPT_REFUSED;

    if (result->tried && result->result != good)
        return;
    result->tried = true;
    result->result = call->result;
    snprintf(result->text, sizeof result->text, "%s: %.440s", where,
             *call->text ? call->text : "nothing was said of it");
}

static void try_variant(struct containers *containers, struct probe_run *run, size_t variant,
                        const char *world)
{
    const bool own = variants[variant].own_network;
    struct calls *calls = calloc(1, sizeof *calls);
    struct command command = {};
    char where[64];

    if (!calls)
        abort();
    add_all(calls, run, own, world);
    say_command(&command, run, own, variants[variant].user, world);
    snprintf(where, sizeof where, "as user %s on %s", variants[variant].user,
             own ? "a network of its own" : "the host's network");

    const struct place place = { .user = run->sandbox->name, .within = command.words };
    place_run(run, &place, calls->list, calls->n);
    for (size_t i = 0; i < calls->n; i++)
        take(&containers->rows[calls->rows[i]], &calls->list[i], calls->rows[i] == CONTAINER_READ,
             where);
    free(calls);
}

static bool has_podman(void)
{
    return access("/usr/bin/podman", X_OK) == 0 || access("/usr/local/bin/podman", X_OK) == 0;
}

static void close_all(int *fds, size_t n, const struct probe_run *run)
{
    char word[PATH_MAX];

    for (size_t i = 0; i < n; i++) {
        cleanup_closep(&fds[i]);
        container_socket_word(run, false, word, sizeof word, i);
        unlink(word);
    }
}

/* Those that everybody may connect to; of the others in the same order. */
static int listen_all(const struct probe_run *run, int paths[static CONNECT_TYPES],
                      int names[static CONNECT_TYPES])
{
    char word[PATH_MAX];
    int r = 0;

    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        container_socket_word(run, false, word, sizeof word, i);
        paths[i] = connect_listen(word, connect_canary_type(i));
        container_socket_word(run, true, word, sizeof word, i);
        names[i] = connect_listen(word, connect_canary_type(i));
        if (paths[i] < 0 || names[i] < 0)
            r = paths[i] < 0 ? paths[i] : names[i];
    }
    return r;
}

/* The build's step reads as every program does. */
static bool build(struct containers *containers, struct probe_run *run)
{
    const bool reads = run->sandbox->egress.proxy && !run->sandbox->egress.allow[0];
    const struct place place = PLACE_SESSION(run);
    char directory[PATH_MAX], image[64];

    directory_of(run, directory);
    image_of(run, image);
    struct call calls[] = { reads ? (struct call)CALL("container-build", directory, image, "read",
                                                      run->outside->origin4, OUTSIDE_HOST)
                                  : (struct call)CALL("container-build", directory, image,
                                                      "reach-own") };
    place_run(run, &place, calls, 1);
    take(&containers->build, calls, true, "in its home");
    return calls->result == ATTEMPT_THROUGH;
}

static void try_all(struct containers *containers, struct probe_run *run)
{
    int paths[CONNECT_TYPES], names[CONNECT_TYPES];
    struct world_canaries world;

    if (!build(containers, run))
        return;
    int r = listen_all(run, paths, names);
    if (r == 0)
        r = world_make(run, "container", true, &world);
    if (r < 0) {
        containers->build.result = ATTEMPT_UNTRIED;
        snprintf(containers->build.text, sizeof containers->build.text,
                 "what is to be out of its reach: %s", strerror(-r));
    }
    for (size_t i = 0; r == 0 && i < sizeof variants / sizeof *variants; i++)
        try_variant(containers, run, i, world.session);
    close_all(paths, CONNECT_TYPES, run);
    for (size_t i = 0; i < CONNECT_TYPES; i++)
        cleanup_closep(&names[i]);
}

static void remove_all(struct probe_run *run)
{
    const struct place place = PLACE_SESSION(run);
    char directory[PATH_MAX];

    directory_of(run, directory);
    if (access(directory, F_OK) < 0)
        return;
    struct call calls[] = { CALL("container-remove", directory) };
    place_run(run, &place, calls, 1);
}

/* Waits for the process, or for a signal, which ends it. */
static int wait_for(pid_t pid, int signal_fd)
{
    _cleanup_close_ int process = pidfd_open(pid, 0);
    struct pollfd fds[] = {
        { .fd = process, .events = POLLIN },
        { .fd = signal_fd, .events = POLLIN },
    };
    bool interrupted;

    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
    interrupted = fds[1].revents != 0;
    if (interrupted)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return interrupted ? -EINTR : 0;
}

int containers_try(struct containers *containers, struct probe_run *base, int signal_fd)
{
    struct containers *shared;

    if (!has_podman())
        containers->missing = "podman is not installed";
    else if (base->sandbox->subids.count == 0)
        containers->missing = "it has no subids, which a container's users would have";
    if (containers->missing)
        return 0;
    if (!base->outside || *base->outside->problem)
        return 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return -errno;
    const pid_t pid = fork();
    if (pid == 0) {
        try_all(shared, base);
        _exit(0);
    }
    int r = pid < 0 ? -errno : wait_for(pid, signal_fd);
    *containers = *shared;
    munmap(shared, sizeof *shared);
    remove_all(base);
    return r;
}
