/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the probes of the network are tried on, made once for all that run of a sandbox. */

#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/probe.h"
#include "sandboxctl/probes/twin.h"

struct setting {
    struct outside outside;
    struct twin twin;
    char feed_host[256]; /* one that the sandbox's threat feed has; "": none */
};

/* What could not be made says why, and probes that need it then could not be tried. */
void setting_begin(struct setting *setting, const struct config *config,
                   const struct config_sandbox *sandbox, enum probe_needs needs, const char *token,
                   const char *directory);

/* All zero: nothing was made. */
void setting_end(struct setting *setting);

/* The first name of a feed's text, egress.conf(5); false: it has none. For setting.c and tests. */
bool setting_feed_host(const char *text, char *host, size_t size);
