/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What sudo grants depends on its plugins, on Defaults, on files in an order of their own and on
 * who answers from a directory service: nobody but sudo itself can tell. */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "lock/ask.h"

#define SUDO "/usr/bin/sudo"

/* Each entry begins so, with its file behind it, or that of a role in a directory service. */
static const char *const entries[] = { "Sudoers entry:", "LDAP Role:", "SSSD Role:" };

static bool begins_entry(const char *line, const char **ret_source)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const size_t n = strlen(entries[i]);

        if (strncmp(line, entries[i], n) == 0) {
            *ret_source = line + n + strspn(line + n, " ");
            return true;
        }
    }
    return false;
}

const char *sudo_list_beyond(char *list)
{
    const char *source = NULL, *after = "";
    char *save = NULL;

    for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (begins_entry(line, &source))
            after = strcmp(source, LOCK_SUDOERS_FILE) == 0 ? NULL : after ? after : source;
    return after;
}

static int start(const char *user, int *ret_fd, pid_t *ret_pid)
{
    const char *const argv[] = { SUDO, "-ll", "-U", user, NULL };
    /* What it prints is read. */
    char *const environment[] = { (char *)"LC_ALL=C", (char *)"PATH=/usr/sbin:/usr/bin", NULL };
    posix_spawn_file_actions_t actions;
    int channel[2], r;

    if (pipe2(channel, O_CLOEXEC) < 0)
        return -errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
    r = -posix_spawn(ret_pid, SUDO, &actions, NULL, (char *const *)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(channel[1]);
    if (r < 0)
        close(channel[0]);
    else
        *ret_fd = channel[0];
    return r;
}

/* What it printed, to be freed. */
static int run(const char *user, char **ret)
{
    _cleanup_fclose_ FILE *in = NULL;
    _cleanup_free_ char *list = NULL;
    int fd = -1, status, r;
    size_t size = 0;
    ssize_t n;
    pid_t pid;

    r = start(user, &fd, &pid);
    if (r < 0)
        return r;
    in = fdopen(fd, "r");
    n = in ? getdelim(&list, &size, '\0', in) : -1;
    if (!in)
        close(fd);
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    if (n <= 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return -EIO;
    *ret = steal_ptr(list);
    return 0;
}

int ask_sudo(const struct lock_user *user, const struct report *report)
{
    _cleanup_free_ char *list = NULL;
    const char *beyond;
    int r;

    if (access(SUDO, X_OK) < 0)
        return 0;
    r = run(user->names[0], &list);
    if (r < 0) {
        report_errno(report, r, "sudo -ll -U %s does not say what sudo grants", user->names[0]);
        return r;
    }
    beyond = sudo_list_beyond(list);
    if (!beyond)
        return 0;
    if (*beyond)
        report_message(report,
                       "sudo: a rule of %s about \"%s\" comes after what locks this user, and sudo "
                       "takes the last one that matches; take the rule away, or give its file in "
                       "/etc/sudoers.d a name that sorts before zz-pam-sandbox",
                       beyond, user->names[0]);
    else
        report_message(report,
                       "sudo: does not read %s; /etc/sudoers has to end with @includedir "
                       "/etc/sudoers.d, and zz-pam-sandbox there is the package's",
                       LOCK_SUDOERS_FILE);
    return -EPERM;
}
