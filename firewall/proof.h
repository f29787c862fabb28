/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tries, with sockets as a sandbox's would be, what the table must refuse, and beside it what must
 * work, so that a refusal is the table's. */

#include "firewall/ruleset.h"

typedef void (*proof_report_t)(const char *message, void *userdata);

/* Returns 0 when everything was refused that must be; -EPERM after report() was told what was not;
 * another negative errno, likewise told, when it could not be tried. Needs CAP_SETUID, to make
 * sockets that are another's. Sends nothing beyond this host but first packets to metadata
 * addresses, which the table stops. */
int proof_run(const struct ruleset_input *input, proof_report_t report, void *userdata);
