/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The command's end of the door, pam-sandbox-entry(8). */

#include <systemd/sd-varlink.h>

/* Returns 0, or a negative errno after a message. */
int door_connect(sd_varlink **ret);

/* What an error of the door's means, on stderr; what was wanted, "cannot …". */
void door_say_error(const char *error, sd_json_variant *parameters, const char *what);
