/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A URL as a request that the proxy would judge. */

#include "proxy/host.h"
#include "proxy/policy.h"

struct egress_url {
    struct identity identity;
    char *path; /* what is sent, without query */
    size_t path_size;
    bool normalised; /* it was written differently */
};

/* Takes http and https. Returns 0; -EINVAL with a constant that says what is wrong; -ENOMEM. The
 * caller frees path. */
int egress_url_parse(const char *text, struct egress_url *ret, const char **problem);
