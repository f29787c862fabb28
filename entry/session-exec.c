/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* session-exec: the first program of a session that was asked for at the door. It runs as the
 * sandbox, in its view and with its environment, and does what its caller asked for: the directory,
 * the variables and the program are looked for here and nowhere else. Whatever it is given is
 * within what a sandbox may do anyway.
 *
 *     session-exec [-C DIRECTORY] [-E NAME=VALUE]... -- [COMMAND [ARGUMENT...]]
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As env(1), timeout(1) and nohup(1) of coreutils have it. */
#define EXIT_OWN_FAILURE 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static int fail(int status, const char *what, const char *on)
{
    fprintf(stderr, "sandboxctl: %s %s: %s\n", what, on, strerror(errno));
    return status;
}

static int run_shell(void)
{
    const char *shell = getenv("SHELL");
    char name[256];

    if (!shell || *shell != '/')
        shell = "/bin/sh";
    /* A login shell, by the sign that shells have for it. */
    (void)snprintf(name, sizeof name, "-%s", strrchr(shell, '/') + 1);
    execl(shell, name, NULL);
    return fail(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, "cannot run the shell",
                shell);
}

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+C:E:")) != -1)
        switch (option) {
        case 'C':
            if (chdir(optarg) < 0)
                return fail(EXIT_OWN_FAILURE, "cannot enter", optarg);
            break;
        case 'E':
            if (putenv(optarg) != 0)
                return fail(EXIT_OWN_FAILURE, "cannot set a variable", "");
            break;
        default:
            return EXIT_OWN_FAILURE;
        }
    /* Units have it ignored (systemd.exec(5)); a shell's pipes are to end as they do elsewhere. */
    (void)signal(SIGPIPE, SIG_DFL);
    if (optind == argc)
        return run_shell();
    execvp(argv[optind], argv + optind);
    return fail(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, "cannot run", argv[optind]);
}
