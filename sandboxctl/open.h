/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the configuration in force leaves open: protections that are turned off, and options whose
 * layer this version does not have. */

#include "conf/config.h"

/* option is as the configuration file calls it, sandbox NULL for the host. Valid during the call.
 */
typedef void (*open_item_t)(const char *sandbox, const char *option, const char *what,
                            void *userdata);

void open_list(const struct config *config, open_item_t item, void *userdata);
