/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user manager as a way around the session: the same attempts from its services. */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define ATTEMPT_PROGRAM PKGLIBEXECDIR "/attempt"
#define MAX_ARGUMENTS 64

/* Says again what an attempt in a service said. */
static enum attempt_result relay(char *output, const char *where)
{
    const char *last = attempt_last_line(output);

    for (enum attempt_result r = ATTEMPT_THROUGH; r <= ATTEMPT_UNTRIED; r++) {
        size_t length = strlen(attempt_result_name(r));

        if (strncmp(last, attempt_result_name(r), length) == 0 && last[length] == ':')
            return attempt_say(r, "from %s,%s", where, last + length + 1);
    }
    return attempt_say(ATTEMPT_UNTRIED, "%s did not answer: %s", where, last);
}

/* in-service ATTEMPT…: in a transient service, whose settings are the user's own to choose. */
enum attempt_result attempt_in_service(int argc, char **argv)
{
    const char *command[MAX_ARGUMENTS] = {
        "systemd-run",
        "--user",
        "--quiet",
        "--collect",
        "--wait",
        "--pipe",
        "--property=ProtectSystem=no",
        "--property=ProtectHome=no",
        "--property=ReadOnlyPaths=",
        "--property=ReadWritePaths=/",
        "--property=PrivateTmp=no",
        "--",
        ATTEMPT_PROGRAM,
    };
    char output[2048];
    size_t n = 13;
    int r;

    for (int i = 1; i < argc && n < MAX_ARGUMENTS - 1; i++)
        command[n++] = argv[i];
    r = attempt_capture(command, "", output, sizeof output);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "systemd-run --user: %s", strerror(-r));
    return relay(output, "a user service");
}

/* Reads everything until the other side closes. */
static void read_all(int fd, char *output, size_t size)
{
    size_t length = 0;
    ssize_t n;

    while (length < size - 1 && (n = read(fd, output + length, size - 1 - length)) > 0)
        length += n;
    output[length] = '\0';
}

/* in-socket ATTEMPT…: in a service that the user manager starts for a connection. */
enum attempt_result attempt_in_socket(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    _cleanup_close_ int fd = -EBADF;
    char unit[64], unit_option[80], listen_option[200], output[2048];
    const char *command[MAX_ARGUMENTS] = {
        "systemd-run", "--user", "--quiet",       "--collect", unit_option,
        listen_option, "--",     ATTEMPT_PROGRAM, "serve",
    };
    const char *const stop[] = { "systemctl", "--user", "stop", unit, NULL };
    size_t n = 9;
    int r;

    if (!runtime)
        return attempt_say(ATTEMPT_UNTRIED, "no XDG_RUNTIME_DIR");
    snprintf(unit, sizeof unit, "pam-sandbox-check-%d.socket", (int)getpid());
    snprintf(unit_option, sizeof unit_option, "--unit=%.*s", (int)strcspn(unit, "."), unit);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", runtime, unit);
    snprintf(listen_option, sizeof listen_option, "--socket-property=ListenStream=%s",
             address.sun_path);
    for (int i = 1; i < argc && n < MAX_ARGUMENTS - 1; i++)
        command[n++] = argv[i];

    r = attempt_capture(command, "", output, sizeof output);
    if (r != 0)
        return attempt_say(ATTEMPT_UNTRIED, "systemd-run --user with a socket: %s",
                           r < 0 ? strerror(-r) : attempt_last_line(output));

    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        r = -errno;
        snprintf(output, sizeof output, "connecting to %s: %s", unit, strerror(-r));
    } else
        read_all(fd, output, sizeof output);
    unlink(address.sun_path);
    attempt_capture(stop, "", (char[256]){ 0 }, 256);
    return relay(output, "a socket-activated user service");
}

/* serve ATTEMPT…: the service's side: takes the connection and tries with it as standard output. */
enum attempt_result attempt_serve(int argc, char **argv)
{
    const struct attempt *attempt = argc > 1 ? attempt_find(argv[1]) : NULL;
    /* The first descriptor that a service is passed, sd_listen_fds(3). */
    int fd = accept4(3, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0 || !attempt || dup2(fd, STDOUT_FILENO) < 0)
        return ATTEMPT_UNTRIED;
    close(fd);
    return attempt->run(argc - 1, argv + 1);
}
