/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a single value of the proxy's rules must be. Each returns 0, or -EINVAL with the reason in
 * it. Private to conf/. */

#include "conf/problem.h"

int rule_egress_name(const char *text, struct reason *reason);
int rule_egress_host(const char *text, struct reason *reason);
int rule_egress_method(const char *text, struct reason *reason);
int rule_egress_url(const char *text, struct reason *reason);
int rule_egress_path(const char *text, struct reason *reason);
