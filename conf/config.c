/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/config.h"

#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/options.h"
#include "conf/origins.h"

void config_free(struct config *config)
{
    const size_t border = options_first_of_sandbox();

    if (!config)
        return;
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        options_clear(&config->sandboxes[i], border, n_options);
        free(config->sandboxes[i].name);
    }
    options_clear(config, 0, border);
    for (size_t i = 0; i < config->n_policies; i++) {
        free(config->policies[i].path);
        free(config->policies[i].text);
    }
    free(config->policies);
    origins_free(config->origins);
    free(config->sandboxes);
    free(config);
}

static int compare_name(const void *name, const void *sandbox)
{
    return strcmp(name, ((const struct config_sandbox *)sandbox)->name);
}

const struct config_sandbox *config_find_sandbox(const struct config *config, const char *name)
{
    if (config->n_sandboxes == 0)
        return NULL;
    return bsearch(name, config->sandboxes, config->n_sandboxes, sizeof *config->sandboxes,
                   compare_name);
}

const struct config_sandbox *config_find_sandbox_by_uid(const struct config *config, uid_t uid)
{
    for (size_t i = 0; i < config->n_sandboxes; i++)
        if (config->sandboxes[i].uid == uid)
            return &config->sandboxes[i];
    return NULL;
}

uint16_t config_egress_port(const struct config_sandbox *sandbox)
{
    /* 16384 to 32767: below the ports that the kernel gives to connections (ip-sysctl, section
     * ip_local_port_range), and different for users whose ids are in a row. */
    return sandbox->egress.port ? sandbox->egress.port : (uint16_t)(16384 + sandbox->uid % 16384);
}

const struct config_policy *config_find_policy(const struct config *config,
                                               const struct config_sandbox *sandbox)
{
    const char *path = sandbox->egress.policy;

    for (size_t i = 0; sandbox->egress.proxy && i < config->n_policies; i++) {
        const char *other = config->policies[i].path;

        if (path && other ? strcmp(path, other) == 0 : path == other)
            return &config->policies[i];
    }
    return NULL;
}
