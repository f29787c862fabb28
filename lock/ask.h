/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Asking those who decide what they would grant to whoever is locked. Each returns 0 when that is
 * nothing, or the host has no such program; -EPERM when something is granted, reported; another
 * negative errno, reported, when it cannot be asked. */

#include "lock/user.h"
#include "nss/users-report.h"

int ask_sudo(const struct lock_user *user, const struct report *report);
int ask_polkit(const struct lock_user *user, const struct report *report);
int ask_stacks(const struct lock_user *user, const struct report *report);

/* And whether the kernel hands core dumps to a program, which may hand them to their user; for
 * deny-reads. */
int ask_core(const struct lock_user *user, const struct report *report);

/* Whether the list that `sudo -ll -U USER` prints ends with our entry: sudo does what the last one
 * says that matches, and ours matches everything. NULL: it does, else the file or source of the one
 * that comes after it, or "" when ours is not there; for ask_sudo() and tests. Changes the list. */
const char *sudo_list_beyond(char *list);
