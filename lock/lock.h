/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* host { lock-user }: an ordinary user of the host who has no way to root any more. What says so to
 * others are three files, made when a configuration comes into force and gone with it:
 *
 *   LOCK_USER_FILE     the user's lines of /etc/passwd, for the PAM module and for everything here
 *   LOCK_SUDOERS_FILE  what sudo is told, included by the package's own fragment
 *   LOCK_POLKIT_FILE   what polkit is told
 *
 * and one that outlives a boot, so that a configuration with errors does not unlock anybody.
 *
 * For root, under the policy lock (conf/snapshot.h). Asks no NSS where it does not say so.
 * Functions return 0 or a negative errno, and report why. */

#include "conf/config.h"

/* What failed, on what, why, and what would put it right. Valid during the call only. */
typedef void (*lock_report_t)(const char *message, void *userdata);

/* Writes the files for config's lock-user, who is in /etc/passwd; without one, lock_remove(). root
 * is "" for the running system. */
int lock_write(const char *root, const struct config *config, lock_report_t report, void *userdata);

/* At boot, when the configuration has errors: whoever was locked is. */
int lock_keep(const char *root, lock_report_t report, void *userdata);

/* Takes all of them away; no error when they are not there. */
int lock_remove(const char *root);

/* Whether somebody else could become root and undo a lock of config's lock-user: root itself, by a
 * password or a key, or a member of a group that sudo and polkit let become root. 0, or -EPERM,
 * reported. Reads ROOT/etc/passwd, group and shadow, and homes. */
int lock_check_administrator(const char *root, const struct config *config, lock_report_t report,
                             void *userdata);

/* Whether reads-exempt names one running process of new's lock-user; none is well when it was in
 * force already, in old, which may be NULL. 0, or -EPERM, reported. */
int lock_check_exempt(const struct config *old, const struct config *new, lock_report_t report,
                      void *userdata);

/* With unlink-worker-diagnostics, removes by what that process shows its memory: how many there
 * were, or a negative errno. */
int lock_unlink_diagnostics(const struct config *config);

/* Asks those who decide: sudo, polkit and the PAM stacks must refuse whoever is locked everything,
 * and the kernel, with config's deny-reads, must hand core dumps to nobody. 0, also when nobody is
 * locked; -EPERM when something is granted, reported each; or another error. On the running system,
 * with the files in place. */
int lock_prove(const struct config *config, lock_report_t report, void *userdata);
