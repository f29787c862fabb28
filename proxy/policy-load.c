/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/feed-read.h"
#include "proxy/policy-new.h"

/* One that is fetched goes through this proxy, which therefore begins without it. */
static bool is_yet_to_be_fetched(const char *root, const struct egress_policy *egress,
                                 const struct feed_source *source)
{
    _cleanup_free_ char *full = NULL;

    if (egress->feed_file || asprintf(&full, "%s%s", root, source->path) < 0 ||
        access(full, F_OK) == 0 || errno != ENOENT)
        return false;
    feed_problem(source, 0,
                 "the feed was not fetched yet: no name is refused for it; systemctl start "
                 "pam-sandbox-egress-feeds.service fetches it");
    return true;
}

/* *ret is NULL for a policy without a feed. */
static int load_feed(const char *root, const struct egress_policy *egress,
                     const struct policy *previous, struct feed_source *source, struct feed **ret)
{
    struct feed *before = previous ? policy_feed(previous) : NULL;

    *ret = NULL;
    if (!source->path || (!before && is_yet_to_be_fetched(root, egress, source)))
        return 0;
    int r = feed_from_file(root, source, ret);
    if (r != -EINVAL || !before)
        return r;
    *ret = feed_ref(before);
    feed_problem(source, 0, "the feed from before stays in force: %zu names", feed_count(before));
    return 0;
}

int policy_load(const char *root, const char *sandbox, const struct policy *previous,
                config_problem_t problem, void *userdata, struct policy **ret)
{
    struct feed_source source = { .path = "", .problem = problem, .userdata = userdata };
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_(egress_freep) struct egress_policy *egress = NULL;
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    _cleanup_free_ char *path = NULL;
    int r = config_load_snapshot_of(root, sandbox, problem, userdata, &config);

    if (r == 0)
        r = egress_load_snapshot(root, sandbox, problem, userdata, &egress);
    if (r == -ENOENT)
        feed_problem(&source, 0,
                     "no rules are in force for the proxy of sandbox \"%s\"; run sandboxctl apply",
                     sandbox);
    if (r == 0)
        r = egress_feed_path(egress, sandbox, &path);
    if (r < 0)
        return r;
    source.path = path;
    source.floor = egress->feed_floor;
    r = load_feed(root, egress, previous, &source, &feed);
    if (r < 0)
        return r;
    return policy_new(steal_ptr(egress), config->sandboxes[0].egress.allow, feed, ret);
}
