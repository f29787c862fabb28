/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Feeds that are fetched. Nothing of what comes is looked at by who may write where it is kept: who
 * fetches it is nobody, and who keeps it reads names. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"
#include "proxy/feed-read.h"

static void print_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    if (line > 0)
        fprintf(stderr, "%s:%u: %s\n", file, line, message);
    else
        fprintf(stderr, "%s: %s\n", file, message);
}

static int fail(const char *what, const char *on, int r)
{
    fprintf(stderr, "egress-feed: %s %s: %s\n", what, on, strerror(-r));
    return EXIT_FAILURE;
}

static int load(const char *sandbox, struct egress_policy **ret)
{
    int r = egress_load_snapshot("", sandbox, print_problem, NULL, ret);

    if (r < 0)
        return fail("there are no rules in force for", sandbox, r);
    if (!(*ret)->feed_url)
        fprintf(stderr, "egress-feed: the rules for %s have no feed.url\n", sandbox);
    return (*ret)->feed_url ? 0 : EXIT_FAILURE;
}

/* Has systemd fetch each, as somebody else; it waits for none. */
static int start_all(void)
{
    _cleanup_(config_freep) struct config *config = NULL;
    int failed = EXIT_SUCCESS, r = config_load_snapshot("", print_problem, NULL, &config);

    if (r < 0)
        return fail("cannot read", SNAPSHOT_FILE, r);
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &config->sandboxes[i];
        _cleanup_(egress_freep) struct egress_policy *policy = NULL;
        _cleanup_free_ char *unit = NULL;

        if (!sandbox->egress.proxy ||
            egress_load_snapshot("", sandbox->name, print_problem, NULL, &policy) < 0 ||
            !policy->feed_url)
            continue;
        if (asprintf(&unit, "pam-sandbox-egress-feed@%s.service", sandbox->name) < 0)
            return fail("cannot start", sandbox->name, -ENOMEM);
        pid_t pid = fork();
        if (pid == 0) {
            execl("/usr/bin/systemctl", "systemctl", "--no-block", "start", unit, NULL);
            _exit(127);
        }
        int status;
        if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
            failed = fail("cannot start", unit, -EIO);
    }
    return failed;
}

/* By way of the sandbox's own proxy, which knows what may be reached. */
static int fetch(const char *sandbox, const char *file)
{
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    _cleanup_free_ char *proxy = NULL, *bundle = NULL;

    if (load(sandbox, &policy) != 0)
        return EXIT_FAILURE;
    int r = config_load_snapshot_of("", sandbox, print_problem, NULL, &config);
    if (r < 0)
        return fail("cannot read what is in force for", sandbox, r);
    if (asprintf(&proxy, "http://127.0.0.1:%u",
                 (unsigned)config_egress_port(&config->sandboxes[0])) < 0 ||
        asprintf(&bundle, EGRESS_PUBLIC_DIR "/%s/" EGRESS_BUNDLE_NAME, sandbox) < 0)
        return fail("cannot fetch", policy->feed_url, -ENOMEM);
    /* What it takes at most is what is read at most. */
    execl("/usr/bin/curl", "curl", "-q", "--silent", "--show-error", "--fail", "--globoff",
          "--location", "--max-redirs", "5", "--proto", "=http,https", "--proxy", proxy,
          "--noproxy", "", "--cacert", bundle, "--connect-timeout", "30", "--max-time", "600",
          "--max-filesize", "67108864", "--output", file, "--", policy->feed_url, NULL);
    return fail("install curl: cannot run", "/usr/bin/curl", -errno);
}

static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);

        if (n < 0)
            return -errno;
        text += n;
        size -= (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static int write_feed(const char *sandbox, const char *text, size_t size)
{
    _cleanup_free_ char *path = NULL, *new = NULL;

    if (asprintf(&path, EGRESS_FEED_DIR "/%s", sandbox) < 0 ||
        asprintf(&new, EGRESS_FEED_DIR "/.%s.new", sandbox) < 0)
        return -ENOMEM;
    if ((mkdir(EGRESS_FEED_DIR, 0755) < 0 && errno != EEXIST) ||
        (unlink(new) < 0 && errno != ENOENT))
        return -errno;
    _cleanup_close_ int fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    int r = write_all(fd, text, size);
    if (r == 0 && (fchmod(fd, 0644) < 0 || rename(new, path) < 0))
        r = -errno;
    return r;
}

/* What is no list, or too short, leaves the one from before where it is. */
static int keep(const char *sandbox, const char *file)
{
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    _cleanup_free_ char *text = NULL;
    size_t size;

    if (load(sandbox, &policy) != 0)
        return EXIT_FAILURE;
    const struct feed_source source = { .path = policy->feed_url,
                                        .floor = policy->feed_floor,
                                        .problem = print_problem };
    _cleanup_close_ int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return fail("cannot open", file, -errno);
    int r = feed_read_text(fd, &source, &text, &size);
    if (r == 0)
        r = feed_from_text(text, size, &source, &feed);
    if (r == 0)
        r = write_feed(sandbox, text, size);
    if (r < 0)
        return fail("what is in force stays so: cannot keep the feed of", sandbox, r);
    fprintf(stderr, "egress-feed: %s: %zu names\n", sandbox, feed_count(feed));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    umask(022);
    if (argc == 2 && strcmp(argv[1], "start") == 0)
        return start_all();
    if (argc == 4 && strcmp(argv[1], "fetch") == 0)
        return fetch(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "keep") == 0)
        return keep(argv[2], argv[3]);
    fputs("egress-feed start | fetch SANDBOX FILE | keep SANDBOX FILE\n\n"
          "Fetches the feeds of names that proxies refuse; see egress.conf(5).\n\n"
          "  start  starts a unit for each sandbox that has a feed.url\n"
          "  fetch  writes to FILE what is there, with curl and by way of the proxy\n"
          "  keep   makes FILE the feed, if it is one\n",
          stderr);
    return 2;
}
