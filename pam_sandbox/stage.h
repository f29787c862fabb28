/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The stage on which the PAM stacks are proven: a mount namespace that looks to them like a host
 * where the sandbox user has just logged in, but where pam_systemd finds no logind to register a
 * session with (systemd src/shared/login-util.h, logind_running(): it asks for /run/systemd/seats).
 * The whole stack runs for real, and nothing of it is left when the process ends. */

#include <sys/types.h>

/* Moves the calling process, which must end afterwards, onto the stage. On an error returns a
 * negative errno, and *what names the path that it is about. */
int stage_enter(uid_t uid, gid_t gid, const char **what);
