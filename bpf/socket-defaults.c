/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/socket-defaults.h"

/* Each was taken away while a session of run0, its user manager and services, and rootless podman
 * ran, and the reason is what failed. With all others away nothing did. Of those,
 *
 * - the system bus: the user manager and the end of a PAM session ask on it for what happens
 * anyway, as logind sees the session's first process end;
 * - /run/systemd/userdb/: names of dynamic users are numbers without it. Its sockets do more than
 *   look-ups: behind io.systemd.DynamicUser is PID 1, whose io.systemd.Unit.List tells anybody the
 *   environment of every unit (systemd 258 and later). */
const struct socket_default socket_defaults[] = {
    { "/run/systemd/journal/stdout", "what services of the user manager print" },
    { "/run/systemd/journal/socket", "sd_journal_send(3): podman's events and logs of containers" },
    { "/run/systemd/journal/dev-log", "syslog(3), by /dev/log" },
    { "/run/systemd/notify", "the user manager says that it is up; without, no session opens" },
};

const size_t n_socket_defaults = sizeof(socket_defaults) / sizeof(socket_defaults[0]);
