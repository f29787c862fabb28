/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a single value must be, whatever the others are. Each returns 0, or -EINVAL with the reason
 * in it: what is wrong, then what would be right. Private to conf/. */

#include "conf/problem.h"

int rule_user_name(const char *text, struct reason *reason);
int rule_sandbox_name(const char *text, struct reason *reason);
int rule_lock_user(const char *text, struct reason *reason);
int rule_program_name(const char *text, struct reason *reason);
int rule_group(const char *text, struct reason *reason);
int rule_stop_service(const char *text, struct reason *reason);
int rule_deny_env(const char *text, struct reason *reason);
int rule_env(const char *text, struct reason *reason);
int rule_path(const char *text, struct reason *reason);
int rule_socket_path(const char *text, struct reason *reason);
int rule_allowed_group(const char *text, struct reason *reason);
int rule_allowed_env(const char *text, struct reason *reason);
int rule_private_path(const char *text, struct reason *reason);
int rule_allowed_host(const char *text, struct reason *reason);
