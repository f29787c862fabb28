/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/policy-new.h"

/* Twenty times a feed of 100,000 names. */
#define MAX_FEED_SIZE (64 << 20)

struct teller {
    config_problem_t problem;
    void *userdata;
};

static void tellf(struct teller *teller, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void tellf(struct teller *teller, const char *file, unsigned line, const char *format, ...)
{
    char message[512];
    va_list arguments;

    if (!teller->problem)
        return;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    teller->problem(file, line, message, teller->userdata);
}

/* The whole text. -EINVAL after it was told why not. */
static int read_feed(const char *root, const char *path, struct teller *teller, char **ret,
                     size_t *ret_size)
{
    _cleanup_free_ char *full = NULL, *text = NULL;
    _cleanup_close_ int fd = -EBADF;
    struct stat st;
    size_t used = 0;

    if (asprintf(&full, "%s%s", root, path) < 0) {
        full = NULL;
        return -ENOMEM;
    }
    fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        tellf(teller, path, 0, "the feed cannot be read: %s", strerror(errno));
        return -EINVAL;
    }
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_FEED_SIZE) {
        tellf(teller, path, 0, "the feed is not a regular file of at most %d MiB",
              MAX_FEED_SIZE >> 20);
        return -EINVAL;
    }
    /* Whoever can write it can take names away. */
    if ((st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH)) {
        tellf(teller, path, 0,
              "the feed can be written by others than root; chown root %s; chmod go-w %s", path,
              path);
        return -EINVAL;
    }

    text = malloc((size_t)st.st_size + 1);
    if (!text)
        return -ENOMEM;
    while (used < (size_t)st.st_size) {
        ssize_t n = read(fd, text + used, (size_t)st.st_size - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            tellf(teller, path, 0, "the feed cannot be read: %s", strerror(errno));
            return -EINVAL;
        }
        if (n == 0)
            break;
        used += (size_t)n;
    }
    *ret = steal_ptr(text);
    *ret_size = used;
    return 0;
}

static int load_feed(const char *root, const struct egress_policy *egress, struct teller *teller,
                     struct feed **ret)
{
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    _cleanup_free_ char *text = NULL;
    unsigned line;
    size_t size;
    int r = read_feed(root, egress->feed_file, teller, &text, &size);

    if (r == 0)
        r = feed_parse(text, size, &feed, &line);
    if (r == -EBADMSG) {
        tellf(teller, egress->feed_file, line,
              "the feed is no list of names, one a line or as in hosts(5); this is the first line "
              "that is not");
        return -EINVAL;
    }
    if (r == 0 && feed_count(feed) < egress->feed_floor) {
        tellf(teller, egress->feed_file, 0,
              "the feed has %zu names, fewer than floor = %llu, and is not believed",
              feed_count(feed), (unsigned long long)egress->feed_floor);
        return -EINVAL;
    }
    if (r == 0)
        *ret = steal_ptr(feed);
    return r;
}

int policy_load(const char *root, const char *sandbox, const struct policy *previous,
                config_problem_t problem, void *userdata, struct policy **ret)
{
    struct teller teller = { .problem = problem, .userdata = userdata };
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_(egress_freep) struct egress_policy *egress = NULL;
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    int r = config_load_snapshot_of(root, sandbox, problem, userdata, &config);

    if (r == 0)
        r = egress_load_snapshot(root, sandbox, problem, userdata, &egress);
    if (r == -ENOENT)
        tellf(&teller, "", 0,
              "no rules are in force for the proxy of sandbox \"%s\"; run sandboxctl apply",
              sandbox);
    if (r < 0)
        return r;
    if (egress->feed_file) {
        r = load_feed(root, egress, &teller, &feed);
        if (r == -EINVAL && previous && policy_feed(previous)) {
            feed = feed_ref(policy_feed(previous));
            tellf(&teller, egress->feed_file, 0, "the feed from before stays in force: %zu names",
                  feed_count(feed));
            r = 0;
        }
    }
    if (r < 0)
        return r;
    return policy_new(steal_ptr(egress), config->sandboxes[0].egress.allow, feed, ret);
}
