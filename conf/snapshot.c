/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "conf/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/policies.h"
#include "conf/root.h"

_Static_assert(SNAPSHOT_DIGEST_SIZE == SHA256_DIGEST_STRING_LENGTH, "a digest as text");

/* Names in RUN_DIR, as everything here works on its descriptor. */
#define NAME_IN_RUN(path) ((path) + sizeof RUN_DIR)
#define WHOLE NAME_IN_RUN(SNAPSHOT_FILE)
#define SPLIT NAME_IN_RUN(SNAPSHOT_SPLIT_DIR)
#define READY NAME_IN_RUN(READY_FILE)
#define LOCK NAME_IN_RUN(POLICY_LOCK_FILE)

/* The whole file's digest, beside the split files that were exchanged with it: a session compares
 * it with READY_FILE, and does not read about all sandboxes for that. No sandbox has this name. */
#define SPLIT_DIGEST ".digest"

/* Comments, so that the digest of the whole is one of the rules of proxies, too, which have files
 * of their own. */
static void write_policies(const struct config *config, FILE *out)
{
    for (size_t i = 0; i < config->n_policies; i++) {
        char digest[SNAPSHOT_DIGEST_SIZE];

        policy_digest(&config->policies[i], digest);
        fprintf(out, "# %s %s\n", digest, policy_path(&config->policies[i]));
    }
}

static int render(const struct config *config, const struct config_sandbox *only, char **ret,
                  size_t *ret_size)
{
    _cleanup_free_ char *text = NULL;
    FILE *out = open_memstream(&text, ret_size);
    int r;

    if (!out)
        return -ENOMEM;
    fputs("# What is in force. Written by pam-sandbox: edit /etc/pam-sandbox instead, then run\n"
          "# sandboxctl apply.\n",
          out);
    r = config_write(config, only, false, out);
    if (!only)
        write_policies(config, out);
    if (fclose(out) != 0 && r == 0)
        r = -ENOMEM;
    if (r == 0)
        *ret = steal_ptr(text);
    return r;
}

static void digest_text(const char *text, size_t size, char digest[static SNAPSHOT_DIGEST_SIZE])
{
    SHA256Data((const uint8_t *)text, size, digest);
}

int snapshot_digest_of(const struct config *config, char digest[static SNAPSHOT_DIGEST_SIZE])
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    int r = render(config, NULL, &text, &size);

    if (r == 0)
        digest_text(text, size, digest);
    return r;
}

/* RUN_DIR; -ENOENT: it is not there. */
static int open_run(const char *root)
{
    _cleanup_close_ int root_fd = root_open(root);

    if (root_fd < 0)
        return root_fd;
    return root_open_at(root_fd, RUN_DIR, O_RDONLY | O_DIRECTORY, 0);
}

static int make_directory(int parent_fd, const char *name)
{
    int fd;

    if (mkdirat(parent_fd, name, 0755) < 0)
        return errno == EEXIST ? 0 : -errno;
    /* The umask of whoever runs apply has no say. */
    fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const int r = fchmod(fd, 0755) < 0 ? -errno : 0;
    close(fd);
    return r;
}

static int make_run(const char *root)
{
    _cleanup_close_ int root_fd = root_open(root), run_fd = -EBADF;
    int r;

    if (root_fd < 0)
        return root_fd;
    r = make_directory(root_fd, "run");
    if (r < 0)
        return r;
    run_fd = root_open_at(root_fd, "/run", O_RDONLY | O_DIRECTORY, 0);
    if (run_fd < 0)
        return run_fd;
    r = make_directory(run_fd, &RUN_DIR[sizeof "/run"]);
    if (r < 0)
        return r;
    return open_run(root);
}

static int write_file(int dir_fd, const char *name, const char *text, size_t size)
{
    _cleanup_close_ int fd =
        openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

    if (fd < 0)
        return -errno;
    if (fchmod(fd, 0644) < 0)
        return -errno;
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            text += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

/* By rename: whoever reads sees the old text or the new. */
static int replace_file(int dir_fd, const char *name, const char *text, size_t size)
{
    char new[64];
    int r;

    (void)snprintf(new, sizeof new, ".%s.new", name);
    (void)unlinkat(dir_fd, new, 0); /* of a writer that was killed */
    r = write_file(dir_fd, new, text, size);
    if (r == 0 && renameat(dir_fd, new, dir_fd, name) < 0)
        r = -errno;
    if (r < 0)
        (void)unlinkat(dir_fd, new, 0);
    return r;
}

static int read_small(int dir_fd, const char *name, char *buffer, size_t size)
{
    _cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return -errno;
    do
        n = read(fd, buffer, size - 1);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    buffer[n] = '\0';
    return 0;
}

/* A flat directory of ours and all in it. */
static int remove_split(int run_fd, const char *name)
{
    _cleanup_closedir_ DIR *dir = NULL;
    int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return -ENOMEM;
    }
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(dir), entry->d_name, 0) < 0)
            return -errno;
    return unlinkat(run_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* host and run0 alone, for sessions of users who are not a sandbox's. */
static int write_split_host(int fd, const struct config *config)
{
    struct config host = *config;
    _cleanup_free_ char *text = NULL;
    size_t size;
    int r;

    host.n_sandboxes = 0;
    host.n_policies = 0;
    r = render(&host, NULL, &text, &size);
    return r < 0 ? r : write_file(fd, SNAPSHOT_SPLIT_HOST, text, size);
}

static int write_split_of(int fd, const struct config *config, const struct config_sandbox *sandbox)
{
    const struct config_policy *policy = config_find_policy(config, sandbox);
    _cleanup_free_ char *text = NULL;
    char file[64];
    size_t size;
    int r = render(config, sandbox, &text, &size);

    (void)snprintf(file, sizeof file, "%s.conf", sandbox->name);
    if (r == 0)
        r = write_file(fd, file, text, size);
    if (r < 0 || !policy)
        return r;
    (void)snprintf(file, sizeof file, "%s" SNAPSHOT_EGRESS_SUFFIX, sandbox->name);
    return write_file(fd, file, policy->text, strlen(policy->text));
}

static int write_split(int run_fd, const char *name, const struct config *config,
                       const char *digest)
{
    _cleanup_close_ int fd = -EBADF;
    int r;

    r = make_directory(run_fd, name);
    if (r < 0)
        return r;
    fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        r = write_split_of(fd, config, &config->sandboxes[i]);
        if (r < 0)
            return r;
    }
    r = write_split_host(fd, config);
    if (r < 0)
        return r;
    return write_file(fd, SPLIT_DIGEST, digest, SNAPSHOT_DIGEST_SIZE - 1);
}

int snapshot_write(const char *root, const struct config *config)
{
    static const char new[] = ".in-force.new";
    _cleanup_close_ int run_fd = make_run(root);
    _cleanup_free_ char *text = NULL;
    char digest[SNAPSHOT_DIGEST_SIZE];
    bool exchanged = false;
    size_t size;
    int r;

    if (run_fd < 0)
        return run_fd;
    r = render(config, NULL, &text, &size);
    if (r < 0)
        return r;
    digest_text(text, size, digest);

    r = remove_split(run_fd, new); /* of a writer that was killed */
    if (r == 0)
        r = write_split(run_fd, new, config, digest);
    if (r == 0) {
        if (renameat2(run_fd, new, run_fd, SPLIT, RENAME_EXCHANGE) == 0)
            exchanged = true;
        else if (errno != ENOENT || renameat(run_fd, new, run_fd, SPLIT) < 0)
            r = -errno;
    }
    if (r == 0) {
        r = replace_file(run_fd, WHOLE, text, size);
        if (r < 0 && exchanged)
            (void)renameat2(run_fd, new, run_fd, SPLIT, RENAME_EXCHANGE);
        else if (r < 0)
            (void)remove_split(run_fd, SPLIT);
    }
    (void)remove_split(run_fd, new);
    return r;
}

static int remove_file(const char *root, const char *name)
{
    _cleanup_close_ int run_fd = open_run(root);

    if (run_fd < 0)
        return run_fd == -ENOENT ? 0 : run_fd;
    return unlinkat(run_fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int snapshot_remove(const char *root)
{
    _cleanup_close_ int run_fd = open_run(root);
    int r;

    if (run_fd < 0)
        return run_fd == -ENOENT ? 0 : run_fd;
    r = remove_file(root, WHOLE);
    if (r == 0)
        r = remove_split(run_fd, SPLIT);
    return r;
}

int snapshot_digest(const char *root, char digest[static SNAPSHOT_DIGEST_SIZE])
{
    _cleanup_close_ int run_fd = open_run(root), fd = -EBADF;
    uint8_t buffer[16384];
    SHA2_CTX context;
    ssize_t n;

    if (run_fd < 0)
        return run_fd;
    fd = openat(run_fd, WHOLE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    SHA256Init(&context);
    while ((n = read(fd, buffer, sizeof buffer)) != 0) {
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            SHA256Update(&context, buffer, (size_t)n);
    }
    SHA256End(&context, digest);
    return 0;
}

int snapshot_ready(const char *root, char digest[static SNAPSHOT_DIGEST_SIZE])
{
    _cleanup_close_ int run_fd = open_run(root), split_fd = -EBADF;
    char ready[SNAPSHOT_DIGEST_SIZE + 1];
    int r;

    if (run_fd < 0)
        return run_fd;
    split_fd = openat(run_fd, SPLIT, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (split_fd < 0)
        return -errno;
    r = read_small(split_fd, SPLIT_DIGEST, digest, SNAPSHOT_DIGEST_SIZE);
    if (r == 0)
        r = read_small(run_fd, READY, ready, sizeof ready);
    if (r < 0)
        return r;
    ready[strcspn(ready, "\n")] = '\0';
    return strlen(digest) == SNAPSHOT_DIGEST_SIZE - 1 && strcmp(digest, ready) == 0 ? 0 : -ESTALE;
}

int snapshot_set_ready(const char *root, const char *digest)
{
    _cleanup_close_ int run_fd = open_run(root);
    char line[SNAPSHOT_DIGEST_SIZE + 1];

    if (run_fd < 0)
        return run_fd;
    if (strlen(digest) != SNAPSHOT_DIGEST_SIZE - 1)
        return -EINVAL;
    (void)snprintf(line, sizeof line, "%s\n", digest);
    return replace_file(run_fd, READY, line, strlen(line));
}

int snapshot_clear_ready(const char *root)
{
    return remove_file(root, READY);
}

int snapshot_lock(const char *root, bool exclusive, unsigned timeout_msec)
{
    _cleanup_close_ int run_fd = make_run(root), fd = -EBADF;
    unsigned waited = 0, wait = 1;

    if (run_fd < 0)
        return run_fd;
    fd = openat(run_fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    /* flock(2) has no timeout, and a library has no signal to interrupt it with. */
    while (flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        if (waited >= timeout_msec)
            return -ETIMEDOUT;
        if (wait > timeout_msec - waited)
            wait = timeout_msec - waited;
        (void)nanosleep(&(struct timespec){ .tv_sec = 0, .tv_nsec = wait * 1000000L }, NULL);
        waited += wait;
        if (wait < 50)
            wait *= 2;
    }
    return steal_fd(&fd);
}
