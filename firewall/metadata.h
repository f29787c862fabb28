/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where clouds hand out credentials to whoever asks from the machine. */

#include "firewall/ruleset.h"

extern const struct ruleset_address metadata_addresses[];
extern const size_t n_metadata_addresses;
