/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The options of the proxy's rules, as options.h has those of the main file; egress.conf(5) and the
 * tables say the same. Private to conf/. */

#include "conf/options.h"

/* Of struct egress_policy and of struct egress_rule; both end with one that has no name. */
extern const struct option egress_feed_options[];
extern const struct option egress_rule_options[];
