/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The log's entries in the journal, by its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
 * sd_journal_send(3) would wait for a journal that does not read, and this must not. */

#include <stdint.h>

/* One request, with SANDBOX=, EGRESS_DECISION=, EGRESS_HOST=, EGRESS_REASON= and, as the line in
 * the file, EGRESS_RECORD=. */
#define LOG_MESSAGE_REQUEST "63a14e2b87e141c58cae37ccace14ad7"
/* Records that are not in the file, or not in the journal: EGRESS_LOST=. */
#define LOG_MESSAGE_LOST "08883e617c6f4db0af6722c3faf0e48e"

/* NAME=VALUE strings up to NULL, none with a newline in it. Returns 0 or a negative errno: -EAGAIN
 * when the journal does not read now. path is the journal's socket. */
int log_journal_send(const char *path, const char *const *fields);

/* Where it listens. */
#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"
