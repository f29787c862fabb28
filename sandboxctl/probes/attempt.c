/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

const struct attempt attempts[] = {
    { "hold", attempt_hold },
    { "env-fixed", attempt_env_fixed },
    { "env-own", attempt_env_own },
    { "env-name", attempt_env_name },
    { "env-anywhere", attempt_env_anywhere },
    { "environ", attempt_environ },
    { "see-process", attempt_see_process },
    { "sudo", attempt_sudo },
    { "polkit", attempt_polkit },
    { "pkexec", attempt_pkexec },
    { "run0", attempt_run0 },
    { "groups-any", attempt_groups_any },
    { "groups-all", attempt_groups_all },
    { "linger", attempt_linger },
    { "cron", attempt_cron },
    { "at", attempt_at },
    { "outlive", attempt_outlive },
    { "tasks", attempt_tasks },
    { "memory", attempt_memory },
    { "runtime", attempt_runtime },
    { "files", attempt_files },
    { "write", attempt_write },
    { "write-late", attempt_write_late },
    { "nested", attempt_nested },
    { "in-service", attempt_in_service },
    { "in-socket", attempt_in_socket },
    { "serve", attempt_serve },
    { "find-file", attempt_find_file },
    { "plant", attempt_plant },
    { "unplant", attempt_unplant },
    { "handler", attempt_handler },
    { "enter", attempt_enter },
    { "open", attempt_open },
    { "world-write", attempt_world_write },
    { "world-write-all", attempt_world_write_all },
    { "world-write-late", attempt_world_write_late },
    { "world-own", attempt_world_own },
    { "set-id", attempt_set_id },
    { "connect", attempt_connect },
    { "connect-own", attempt_connect_own },
    { "family", attempt_family },
    { "family-own", attempt_family_own },
    { "ping", attempt_ping },
    { "peer-hold", attempt_peer_hold },
    { "peer-listen", attempt_peer_listen },
    { "signal", attempt_signal },
    { "look-into", attempt_look_into },
    { "tamper", attempt_tamper },
    { "make-pin", attempt_make_pin },
    { "open-pin", attempt_open_pin },
    { "reach", attempt_reach },
    { "reach-own", attempt_reach_own },
    { "ask", attempt_ask },
    { "fetch", attempt_fetch },
    { "ask-tls", attempt_ask_tls },
    { "ask-raw", attempt_ask_raw },
    { "read", attempt_read },
    { "client", attempt_client },
    { "door", attempt_door },
    { "su", attempt_su },
    { "group-object", attempt_group_object },
    { "read-own", attempt_read_own },
    { "dump-own", attempt_dump_own },
    { "container-build", attempt_container_build },
    { "container-remove", attempt_container_remove },
    { NULL },
};

const struct attempt *attempt_find(const char *name)
{
    for (const struct attempt *a = attempts; a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

const char *attempt_result_name(enum attempt_result result)
{
    static const char *const names[] = {
        [ATTEMPT_THROUGH] = "through",
        [ATTEMPT_REFUSED] = "refused",
        [ATTEMPT_UNTRIED] = "untried",
    };

    return names[result];
}

enum attempt_result attempt_say(enum attempt_result result, const char *format, ...)
{
    va_list arguments;

    printf("%s: ", attempt_result_name(result));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    return result;
}

enum attempt_result attempt_run(int argc, char **argv)
{
    const struct attempt *attempt = attempt_find(argv[0]);

    if (!attempt)
        return attempt_say(ATTEMPT_UNTRIED, "there is no attempt \"%s\"", argv[0]);

    /* A hung attempt must not leave a session behind. */
    alarm(ATTEMPT_SECONDS);
    return attempt->run(argc, argv);
}

enum attempt_result attempt_run_forked(int argc, char **argv)
{
    int status;
    pid_t pid = fork();

    if (pid < 0)
        return attempt_say(ATTEMPT_UNTRIED, "fork: %m");
    if (pid == 0) {
        /* What comes on standard input is not for the attempt. */
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
            _exit(attempt_say(ATTEMPT_UNTRIED, "/dev/null: %m"));
        _exit(attempt_run(argc, argv));
    }
    if (waitpid(pid, &status, 0) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "waitpid: %m");
    if (WIFSIGNALED(status))
        return attempt_say(ATTEMPT_UNTRIED, "%s was ended by signal %d", argv[0], WTERMSIG(status));
    return WEXITSTATUS(status);
}

void attempt_tell(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

void attempt_wait(void)
{
    char buffer[64];

    while (read(STDIN_FILENO, buffer, sizeof buffer) > 0)
        ;
}

enum attempt_result attempt_hold(int argc, char **argv)
{
    (void)argc;
    (void)argv;

    attempt_tell("ready");
    attempt_wait();
    return attempt_say(ATTEMPT_THROUGH, "was there until told to end");
}

int attempt_capture(const char *const argv[], const char *input, char *output, unsigned long size)
{
    _cleanup_close_ int in = -EBADF, out = -EBADF;
    posix_spawn_file_actions_t actions;
    int status, r;
    pid_t pid;

    output[0] = '\0';

    /* Files, not pipes: the program may print a lot before it reads anything, and what it leaves
     * running, or passed on in a message that nobody takes, would keep a pipe open. */
    in = memfd_create("input", MFD_CLOEXEC);
    out = memfd_create("output", MFD_CLOEXEC);
    if (in < 0 || out < 0 || write(in, input, strlen(input)) < 0 || lseek(in, 0, SEEK_SET) < 0)
        return -errno;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    r = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (r != 0)
        return -r;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;

    const ssize_t n = pread(out, output, size - 1, 0);
    output[n > 0 ? n : 0] = '\0';
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *attempt_last_line(char *text)
{
    size_t length = strlen(text);
    char *line;

    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        text[--length] = '\0';
    line = strrchr(text, '\n');
    return line ? line + 1 : text;
}
