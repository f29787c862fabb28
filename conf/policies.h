/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The rules of all proxies beside the configuration that names their files. Private to conf/. */

#include "conf/files.h"
#include "conf/snapshot.h"

/* Fills config->policies from the files that its sandboxes name. What is wrong with one is
 * reported. 0 or -ENOMEM. */
int policies_load_etc(struct config *config, const char *root, struct problems *problems);

/* Fills it from the snapshot that config was read from: a policy that is not there is left out. */
int policies_load_snapshot(struct config *config, struct files *files);

/* SHA-256 of the text. */
void policy_digest(const struct config_policy *policy, char digest[static SNAPSHOT_DIGEST_SIZE]);

/* The file that people know it by. */
const char *policy_path(const struct config_policy *policy);
