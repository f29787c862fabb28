/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/signer.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>

#include "conf/cleanup.h"

extern char **environ;

/* dup2(2) onto itself would leave close-on-exec set, and one could cover another: from above. */
static int clear_of_the_way(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, SIGNER_CERTIFICATE_FD + 1);
    return copy < 0 ? -errno : copy;
}

int signer_start(const char *program, int key_fd, int certificate_fd, pid_t *ret_pid,
                 int *ret_socket)
{
    char *const argv[] = { (char *)"egress-signer", NULL };
    posix_spawn_file_actions_t actions;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    _cleanup_close_ int ours = pair[0];
    _cleanup_close_ int theirs = clear_of_the_way(pair[1]);
    close(pair[1]);
    if (theirs < 0)
        return theirs;
    _cleanup_close_ int key = clear_of_the_way(key_fd);
    if (key < 0)
        return key;
    _cleanup_close_ int certificate = clear_of_the_way(certificate_fd);
    if (certificate < 0)
        return certificate;
    if (fcntl(ours, F_SETFL, O_NONBLOCK) < 0)
        return -errno;

    int r = posix_spawn_file_actions_init(&actions);
    if (r != 0)
        return -r;
    r = posix_spawn_file_actions_adddup2(&actions, theirs, SIGNER_SOCKET_FD);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, key, SIGNER_KEY_FD);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, certificate, SIGNER_CERTIFICATE_FD);
    if (r == 0)
        r = posix_spawn(ret_pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (r != 0)
        return -r;
    *ret_socket = steal_fd(&ours);
    return 0;
}
