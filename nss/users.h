/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Making the sandboxes of a configuration exist as Unix users: the flat files that libnss_sandbox
 * and libsubid_sandbox answer from, and the homes. For root, under the policy lock
 * (conf/snapshot.h), at boot and when a configuration is applied. Asks no NSS: groups are read from
 * ROOT/etc/group.
 *
 * The files, all in RUN_DIR:
 *
 *   passwd          NAME:x:UID:UID:Sandbox:STATE_HOME_DIR/NAME:/bin/bash
 *   shadow          NAME:!*:::::::            no password opens it; for root and group shadow
 *   subuid, subgid  NAME:START:COUNT          not for a sandbox without subordinate ids
 *   group           NAME:x:UID:               the sandbox's own group: no member listed
 *                   GROUP:x:GID:NAME          a membership: one line a sandbox and group
 *
 * A membership names a group of /etc/group, which alone answers for that group; a look-up by name
 * or gid, or an enumeration, never shows the line as a group. With one line a membership, no line
 * grows with the number of sandboxes, and neither does the buffer that a look-up needs. */

#include "conf/config.h"

/* A problem: what failed, on what, why, and what would put it right. Valid during the call only. */
typedef void (*users_report_t)(const char *message, void *userdata);

/* Whether users_write() can be expected to succeed: every group exists, is known to be harmless and
 * no home belongs to somebody else. Writes nothing. Returns 0, -EINVAL after every problem was
 * reported, or another negative errno (reported too). root is "" for the running system. */
int users_check(const char *root, const struct config *config, users_report_t report,
                void *userdata);

/* users_check(), then homes (0700, empty, the sandbox's; those that exist are kept), then the
 * files, each replaced by rename and passwd last: before it a user does not exist, after it
 * everything else does. Returns 0 or a negative errno, reported. Until the first rename nothing
 * that is in force has changed. */
int users_write(const char *root, const struct config *config, users_report_t report,
                void *userdata);

/* Takes the files away, passwd first; homes stay. No error when they are not there. */
int users_remove(const char *root);
