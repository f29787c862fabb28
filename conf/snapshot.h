/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is in force: the snapshot under /run/pam-sandbox, its digest, and whether every layer holds.
 * root is "" on the running system. All functions return 0 or a negative errno. */

#include "conf/config.h"

/* SHA-256 as lower-case hex, with its NUL. */
#define SNAPSHOT_DIGEST_SIZE 65

/* Writes the snapshot, whole and split. The split files are written apart and exchanged as one
 * directory, then the whole file by rename; on an error what stood there before stands there still.
 * The caller holds the policy lock exclusively, and has taken READY_FILE away first. */
int snapshot_write(const char *root, const struct config *config);

/* Takes away everything that snapshot_write() made: nothing is in force. */
int snapshot_remove(const char *root);

/* The digest of what snapshot_write() would write, and of what stands there: equal when /etc was
 * not edited since. -ENOENT: nothing is in force. */
int snapshot_digest_of(const struct config *config, char digest[static SNAPSHOT_DIGEST_SIZE]);
int snapshot_digest(const char *root, char digest[static SNAPSHOT_DIGEST_SIZE]);

/* 0 and the snapshot's digest when READY_FILE names it; -ENOENT when there is no snapshot or no
 * READY_FILE; -ESTALE when READY_FILE names another digest. Takes the digest that was written
 * with the split files, so that it costs the same however many sandboxes there are. */
int snapshot_ready(const char *root, char digest[static SNAPSHOT_DIGEST_SIZE]);

/* Writes READY_FILE for what stands there, or takes it away (no error when it is not there). */
int snapshot_set_ready(const char *root, const char *digest);
int snapshot_clear_ready(const char *root);

/* Takes the policy lock; the caller closes the descriptor to release it. Waits timeout_msec at
 * most, then -ETIMEDOUT; 0 does not wait. Makes RUN_DIR and the lock file when they are missing. */
int snapshot_lock(const char *root, bool exclusive, unsigned timeout_msec);
