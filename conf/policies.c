/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/policies.h"

#include <errno.h>
#include <sha2.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"

/* An entry for what the sandbox names, when it needs one that is not there yet; else NULL in *ret.
 */
static int add(struct config *config, const struct config_sandbox *sandbox,
               struct config_policy **ret)
{
    struct config_policy *list, *policy;

    *ret = NULL;
    if (!sandbox->egress.proxy || config_find_policy(config, sandbox))
        return 0;
    list = reallocarray(config->policies, config->n_policies + 1, sizeof *list);
    if (!list)
        return -ENOMEM;
    config->policies = list;
    policy = &list[config->n_policies];
    *policy = (struct config_policy){ 0 };
    if (sandbox->egress.policy && !(policy->path = strdup(sandbox->egress.policy)))
        return -ENOMEM;
    config->n_policies++;
    *ret = policy;
    return 0;
}

static int render(const struct egress_policy *egress, char **ret)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int r;

    if (!out)
        return -ENOMEM;
    r = egress_write(egress, out);
    if (fclose(out) != 0)
        return -ENOMEM;
    if (r == 0)
        *ret = steal_ptr(text);
    return r;
}

static void pass_on(const char *file, unsigned line, const char *message, void *userdata)
{
    problem(userdata, file, line, "%s", message);
}

int policies_load_etc(struct config *config, const char *root, struct problems *problems)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < config->n_sandboxes; i++) {
        _cleanup_(egress_freep) struct egress_policy *egress = NULL;
        struct config_policy *policy;

        r = add(config, &config->sandboxes[i], &policy);
        if (r < 0 || !policy)
            continue;
        r = egress_load_etc(root, policy->path, pass_on, problems, &egress);
        if (r == 0)
            r = render(egress, &policy->text);
        else if (r == -EINVAL)
            r = 0;
    }
    return r;
}

int policies_load_snapshot(struct config *config, struct files *files)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < config->n_sandboxes; i++) {
        _cleanup_free_ char *path = NULL, *read = NULL;
        struct config_policy *policy;
        size_t size;

        r = add(config, &config->sandboxes[i], &policy);
        if (r < 0 || !policy)
            continue;
        if (asprintf(&path, SNAPSHOT_SPLIT_DIR "/%s" SNAPSHOT_EGRESS_SUFFIX,
                     config->sandboxes[i].name) < 0) {
            path = NULL;
            return -ENOMEM;
        }
        r = files_read(files, path, &read, &size);
        if (r == 0 && read)
            policy->text = strndup(read, size);
        if (r == 0 && read && !policy->text)
            r = -ENOMEM;
        if (r == -ENOENT)
            r = 0;
        if (!policy->text)
            free(config->policies[--config->n_policies].path);
    }
    return r;
}

void policy_digest(const struct config_policy *policy, char digest[static SNAPSHOT_DIGEST_SIZE])
{
    SHA256Data((const uint8_t *)policy->text, strlen(policy->text), digest);
}

const char *policy_path(const struct config_policy *policy)
{
    return policy->path ? policy->path : EGRESS_ADMIN_FILE;
}
