/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/orphans.h"

#include "reaper/reap.h"
#include "sandboxctl/say.h"
#include "sandboxctl/status.h"
#include "sandboxctl/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

/* Who was killed is gone in milliseconds; a process in an uninterruptible wait may never be. */
#define KILL_ROUNDS 100
#define KILL_PAUSE_NSEC (50 * 1000 * 1000)

static int end(const struct config_sandbox *sandbox)
{
    const struct timespec pause = { .tv_nsec = KILL_PAUSE_NSEC };
    int r = reap_kill(sandbox->uid);

    if (r > 0)
        fprintf(stderr,
                "Note: what runs of \"%s\" is ended: its ids are no longer a sandbox's, and the"
                " kernel would refuse it nothing any more.\n",
                sandbox->name);
    for (int i = 0; i < KILL_ROUNDS && r > 0; i++) {
        nanosleep(&pause, NULL);
        r = reap_kill(sandbox->uid);
    }
    if (r > 0)
        r = -ETIMEDOUT;
    if (r < 0)
        say_error(r,
                  "cannot end what runs of \"%s\"; systemd-cgls /user.slice/user-%" PRIu32
                  ".slice shows it",
                  sandbox->name, (uint32_t)sandbox->uid);
    return r;
}

/* A container's processes have the subordinate ids that were mapped when it was started. */
static bool keeps_ids(const struct config_sandbox *sandbox, const struct config *new)
{
    const struct config_sandbox *now = config_find_sandbox_by_uid(new, sandbox->uid);

    return now && now->subids.start == sandbox->subids.start &&
           now->subids.count == sandbox->subids.count;
}

int orphans_end(const struct config *old, const struct config *new)
{
    /* Who turns the policy off means all of them. */
    if (!old || !old->host.kernel_policy || !new->host.kernel_policy)
        return 0;
    for (size_t i = 0; i < old->n_sandboxes; i++) {
        if (keeps_ids(&old->sandboxes[i], new))
            continue;
        int r = end(&old->sandboxes[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

void orphans_say(const struct config *old, const struct config *new)
{
    for (size_t i = 0; old && i < old->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &old->sandboxes[i];
        uint64_t n = usage_sessions(sandbox->uid);

        if (n > 0 && n != STATUS_UNKNOWN && !config_find_sandbox_by_uid(new, sandbox->uid))
            fprintf(stderr,
                    "Note: \"%s\" is gone and still has %" PRIu64 " open session%s; systemctl"
                    " stop user-%" PRIu32 ".slice ends %s.\n",
                    sandbox->name, n, n == 1 ? "" : "s", (uint32_t)sandbox->uid,
                    n == 1 ? "it" : "them");
    }
}
