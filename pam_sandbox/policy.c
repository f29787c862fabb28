/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <syslog.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "pam_sandbox/policy.h"
#include "pam_sandbox/proxied.h"

/* Longer than an exchange of policy takes on a busy host, shorter than a person waits. */
#define POLICY_LOCK_TIMEOUT_MSEC 30000

static void report_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    syslog(LOG_AUTHPRIV | LOG_ERR, "%s:%u: %s", file, line, message);
}

static int require_ready(const char **reason)
{
    char digest[SNAPSHOT_DIGEST_SIZE];
    int r = snapshot_ready("", digest);

    if (r == -ENOENT)
        *reason = "a layer is down or nothing is in force; see sandboxctl status";
    else if (r == -ESTALE)
        *reason = READY_FILE " is about another configuration; run sandboxctl apply";
    else if (r < 0)
        *reason = READY_FILE " or " SNAPSHOT_FILE " cannot be read";
    return r;
}

/* A layer of this sandbox alone, which others do without: where its proxy should be, somebody else
 * might listen. */
static int require_proxy(const struct config_sandbox *sandbox, const char **reason)
{
    int r = sandbox->egress.proxy ? proxied_is_up(sandbox) : 0;

    if (r < 0)
        *reason = "its proxy does not listen, or its programs would not trust it: see systemctl"
                  " status pam-sandbox-egress@*.socket, and run sandboxctl apply";
    return r;
}

int policy_load_sandbox(const char *name, bool proving, struct config **ret, const char **reason)
{
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_close_ int lock = -1;
    int r;

    if (!proving) {
        lock = snapshot_lock("", false, POLICY_LOCK_TIMEOUT_MSEC);
        if (lock < 0) {
            *reason = lock == -ETIMEDOUT ? "policy is being exchanged, and that takes too long"
                                         : "cannot take the policy lock " POLICY_LOCK_FILE;
            return lock;
        }
        r = require_ready(reason);
        if (r < 0)
            return r;
    }

    r = config_load_snapshot_of("", name, report_problem, NULL, &config);
    if (r == -ENOENT)
        *reason = "the configuration in force has no such sandbox; run sandboxctl apply";
    else if (r < 0)
        *reason = "the configuration in force cannot be read; run sandboxctl apply";
    if (r == 0 && !proving)
        r = require_proxy(&config->sandboxes[0], reason);
    if (r == 0)
        *ret = steal_ptr(config);
    return r;
}

int policy_load_run0(struct config **ret, const char **reason)
{
    int r = config_load_snapshot_of("", NULL, report_problem, NULL, ret);

    if (r == -ENOENT) {
        *ret = NULL;
        return 0;
    }
    if (r < 0)
        *reason = "the configuration in force cannot be read; run sandboxctl apply";
    return r;
}

bool policy_is_proving(const char *value)
{
    _cleanup_fclose_ FILE *file = fopen(PROVING_FILE, "re");
    char nonce[128];

    if (!file || !fgets(nonce, sizeof nonce, file))
        return false;

    nonce[strcspn(nonce, "\n")] = '\0';
    return nonce[0] != '\0' && strcmp(nonce, value) == 0;
}
