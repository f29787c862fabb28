/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/twin.h"

#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/hide.h"
#include "sandboxctl/probes/outside.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>

#define PROXY_PROGRAM PKGLIBEXECDIR "/egress"
#define AUTHORITY_PROGRAM PKGLIBEXECDIR "/egress-ca"

/* Its log must not be taken for the sandbox's own. */
#define TWIN_NAME "pam-sandbox-check"

#define PRIVATE_ADDRESS "10.255.254.253"

static const char rules[] =
    "write \"check\" { hosts = { \"" OUTSIDE_HOST "\", \"" TWIN_MIXED_HOST "\" }"
    " methods = { \"GET\", \"POST\" } paths = { \"/\", \"/**\" } }\n"
    "write \"check-socket\" { hosts = { \"" OUTSIDE_HOST "\" } paths = { \"/\" }"
    " methods = { \"GET\" } upgrade = \"websocket\" }\n";

__attribute__((format(printf, 2, 3))) static bool fail(struct twin *twin, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(twin->problem, sizeof twin->problem, format, arguments);
    va_end(arguments);
    return false;
}

/* What it is told, in directories below one of its own. */
struct files {
    char top[PATH_MAX];
    char root[PATH_MAX + 8];
    char log[PATH_MAX + 8];
    char state[PATH_MAX + 8];
    char public[PATH_MAX + 80];
    char hosts[PATH_MAX + 8];
};

static void name_files(struct files *files, const char *directory)
{
    snprintf(files->top, sizeof files->top, "%s/twin", directory);
    snprintf(files->root, sizeof files->root, "%s/root", files->top);
    snprintf(files->log, sizeof files->log, "%s/log", files->top);
    snprintf(files->state, sizeof files->state, "%s/state", files->top);
    snprintf(files->public, sizeof files->public, "%s" EGRESS_PUBLIC_DIR "/" TWIN_NAME,
             files->root);
    snprintf(files->hosts, sizeof files->hosts, "%s/hosts", files->top);
}

static int make_directory(const char *path, mode_t mode, uid_t uid)
{
    if (mkdir(path, 0700) < 0 || chown(path, uid, (gid_t)-1) < 0 || chmod(path, mode) < 0)
        return -errno;
    return 0;
}

/* To c-ares, lines that share a name or an address are one entry. */
static int write_hosts(const char *path, const struct outside *outside, const char *also)
{
    _cleanup_fclose_ FILE *file = fopen(path, "we");

    if (!file)
        return -errno;
    fprintf(file,
            "%s " OUTSIDE_HOST " %s\n%s " TWIN_MIXED_HOST "\n" PRIVATE_ADDRESS " " TWIN_MIXED_HOST
            "\n",
            outside->origin4, also ? also : "", outside->another4);
    return fflush(file) != 0 || fchmod(fileno(file), 0644) < 0 ? -errno : 0;
}

/* As the sandbox's, but for what it may ask. */
static int write_rules(const char *root, const struct config *in_force,
                       const struct config_sandbox *sandbox)
{
    static char *nothing[] = { NULL };
    struct config_sandbox twin = *sandbox;
    struct config_policy policy = { .text = (char *)rules };
    const struct config config = {
        .host = in_force->host,
        .run0 = in_force->run0,
        .sandboxes = &twin,
        .n_sandboxes = 1,
        .policies = &policy,
        .n_policies = 1,
    };

    twin.name = (char *)TWIN_NAME;
    twin.egress.allow = nothing;
    twin.egress.policy = NULL;
    return snapshot_write(root, &config);
}

static int make_files(const struct files *files, const struct config *config,
                      const struct config_sandbox *sandbox, const struct outside *outside,
                      const char *also, uid_t uid)
{
    int r = make_directory(files->top, 0711, 0);

    if (r == 0)
        r = make_directory(files->root, 0755, 0);
    if (r == 0)
        r = make_directory(files->log, 0700, uid);
    if (r == 0)
        r = write_hosts(files->hosts, outside, also);
    return r == 0 ? write_rules(files->root, config, sandbox) : r;
}

static bool make_authority(struct twin *twin, const struct files *files)
{
    const char *const command[] = { AUTHORITY_PROGRAM, TWIN_NAME, files->state, files->public,
                                    NULL };
    char output[512];
    int r = attempt_capture(command, "", output, sizeof output);

    return r == 0 || fail(twin, "egress-ca ended with status %d: %s", r, attempt_last_line(output));
}

static int open_listener(struct twin *twin)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof address;
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) < 0 ||
        listen(fd, SOMAXCONN) < 0 || getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return -errno;
    snprintf(twin->port, sizeof twin->port, "%u", ntohs(address.sin_port));
    return steal_fd(&fd);
}

static int open_in(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* In the new process; does not return. The descriptors come in the order of their names, as from
 * the service manager, sd_listen_fds(3). */
__attribute__((noreturn)) static void start(const struct files *files, int listener, uid_t uid,
                                            gid_t gid)
{
    const int fds[] = { listener, open_in(files->state, "ca.key"),
                        open_in(files->state, "ca.pem") };
    char log[PATH_MAX + 32], root[PATH_MAX + 32], pid[16];
    const int n = sizeof fds / sizeof *fds;
    int copies[3];

    snprintf(log, sizeof log, "--log-directory=%s", files->log);
    snprintf(root, sizeof root, "--root=%s", files->root);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    char *arguments[] = { (char *)PROXY_PROGRAM, log, root, (char *)TWIN_NAME, NULL };

    /* Out of the way first, so that none covers another. */
    for (int i = 0; i < n; i++)
        if ((copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, SD_LISTEN_FDS_START + n)) < 0)
            _exit(1);
    for (int i = 0; i < n; i++)
        if (dup2(copies[i], SD_LISTEN_FDS_START + i) < 0)
            _exit(1);
    /* What became of a request is in its answer. */
    if (dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO) < 0 ||
        close_range(SD_LISTEN_FDS_START + n, ~0U, 0) < 0 || clearenv() != 0 ||
        setenv("LISTEN_PID", pid, 1) < 0 || setenv("LISTEN_FDS", "3", 1) < 0 ||
        setenv("LISTEN_FDNAMES", "socket:ca-key:ca-certificate", 1) < 0)
        _exit(1);
    if (hide_enter() < 0 || mount(files->hosts, "/etc/hosts", NULL, MS_BIND, NULL) < 0)
        _exit(1);
    if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execv(arguments[0], arguments);
    _exit(1);
}

bool twin_begin(struct twin *twin, const struct config *config,
                const struct config_sandbox *sandbox, const struct outside *outside,
                const char *also, const char *directory, uid_t uid, gid_t gid)
{
    _cleanup_close_ int listener = -EBADF;
    struct files files;
    int r;

    *twin = (struct twin){ .pid = -1 };
    name_files(&files, directory);
    r = make_files(&files, config, sandbox, outside, also, uid);
    if (r < 0)
        return fail(twin, "%s: %s", files.top, strerror(-r));
    if (!make_authority(twin, &files))
        return false;
    listener = open_listener(twin);
    if (listener < 0)
        return fail(twin, "listening: %s", strerror(-listener));
    twin->pid = fork();
    if (twin->pid == 0)
        start(&files, listener, uid, gid);
    return twin->pid > 0 || fail(twin, "fork: %m");
}

void twin_end(struct twin *twin)
{
    if (twin->pid <= 0)
        return;
    kill(twin->pid, SIGTERM);
    waitpid(twin->pid, NULL, 0);
    twin->pid = -1;
}
