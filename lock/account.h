/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

/* Whether this host has such a PAM service. */
bool account_has_service(const char *service);

/* The PAM code of the service's account phase for the user, asked by caller or, with NULL, by
 * nobody in particular. A module that wants to converse is refused. */
int account_ask(const char *service, const char *user, const char *caller);
