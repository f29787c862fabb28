/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sessions that are open while their sandbox goes out of force. */

#include "conf/config.h"

/* Before new comes into force: where the kernel policy knows who is confined by ids, and ids are no
 * longer a sandbox's, whoever still runs with them would be held by it no more. Ends them, and says
 * so. The caller holds the policy lock exclusively, so none begins. Returns 0 or a negative errno
 * after a message. old: NULL when nothing was in force. */
int orphans_end(const struct config *old, const struct config *new);

/* Afterwards: points out those who go on, as they keep what they began with. */
void orphans_say(const struct config *old, const struct config *new);
