/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the account phase of a PAM service says of a user: a PAM code. For root. */
int entry_account(const char *service, const char *user);
