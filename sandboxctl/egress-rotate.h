/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* sandboxctl egress rotate-ca: gives the sandboxes named, or all that have a proxy if there is no
 * name, another certificate authority. names ends with NULL. Returns an exit status, after it
 * printed what failed. */
int egress_rotate(char *const *names);
