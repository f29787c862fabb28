/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/socket-defaults.h"

const struct socket_default socket_defaults[] = {
    { "/run/systemd/journal/stdout", "the output of what the user manager starts" },
    { "/run/systemd/journal/socket", "sd_journal_send(3), and the user manager's own log" },
    { "/run/systemd/journal/dev-log", "syslog(3), by /dev/log" },
    { "/run/systemd/notify", "the user manager says that it is ready" },
    { "/run/systemd/userdb/", "look-ups of users and groups, nss-systemd(8)" },
};

const size_t n_socket_defaults = sizeof(socket_defaults) / sizeof(socket_defaults[0]);
