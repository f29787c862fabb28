/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A policy from its parts, for policy_load() and for tests. */

#include "conf/egress-policy.h"
#include "proxy/feed.h"
#include "proxy/policy.h"

/* Takes egress over, whatever the result; copies allow, of struct config_egress; shares feed, which
 * may be NULL. Returns 0 or -ENOMEM. */
int policy_new(struct egress_policy *egress, char *const *allow, struct feed *feed,
               struct policy **ret);

/* NULL: it has none. */
struct feed *policy_feed(const struct policy *policy);

static inline void policy_freep(struct policy **policy)
{
    policy_free(*policy);
}
