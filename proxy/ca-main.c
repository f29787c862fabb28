/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "proxy/ca-publish.h"
#include "proxy/ca.h"

/* Only the journal understands it; systemd.exec(5) says who sets this. */
static const char *level(const char *prefix)
{
    return getenv("JOURNAL_STREAM") ? prefix : "";
}

static int fail(const char *what, const char *where, int r)
{
    fprintf(stderr, "%segress-ca: %s %s: %s\n", level(SD_ERR), what, where, strerror(-r));
    return 1;
}

/* And the one above it, which those of all sandboxes share. */
static int open_directory(const char *path, mode_t mode)
{
    _cleanup_free_ char *above = strdup(path);

    if (!above)
        return -ENOMEM;
    if (mkdir(dirname(above), 0755) < 0 && errno != EEXIST)
        return -errno;
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fchmod(fd, mode) < 0) {
        close(fd);
        return -errno;
    }
    return fd;
}

/* Where Debian's packages of the JVM are, and what leads to one that came otherwise. */
static bool has_java(void)
{
    return access("/usr/lib/jvm", F_OK) == 0 || access("/usr/bin/java", X_OK) == 0;
}

/* The certificate is the ca.pem of either directory. */
static int publish(int from, int public, const char *from_path, const char *public_path)
{
    X509 *certificate;

    _cleanup_close_ int fd = openat(from, CA_CERTIFICATE_FILE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail("cannot read the certificate in", from_path, -errno);
    int r = ca_read_certificate(fd, &certificate);
    if (r < 0)
        return fail("cannot read the certificate in", from_path, r);
    r = ca_publish(public, certificate, SYSTEM_BUNDLE, has_java());
    X509_free(certificate);
    if (r == -ENOENT && access(SYSTEM_BUNDLE, F_OK) < 0)
        return fail("install ca-certificates, or run update-ca-certificates: cannot read",
                    SYSTEM_BUNDLE, r);
    return r < 0 ? fail("cannot publish what is to be trusted in", public_path, r) : 0;
}

static int run(const char *sandbox, const char *state_path, const char *public_path, bool anew)
{
    struct ca_change change;

    _cleanup_close_ int state = open_directory(state_path, 0700);
    if (state < 0)
        return fail("cannot make or open", state_path, state);
    _cleanup_close_ int public = open_directory(public_path, 0755);
    if (public < 0)
        return fail("cannot make or open", public_path, public);
    /* The socket, the service and whoever asks for a new one may all be at it. */
    if (flock(state, LOCK_EX) < 0)
        return fail("cannot lock", state_path, -errno);

    int r = ca_ensure(state, sandbox, anew, &change);
    if (r < 0)
        return fail("cannot make a certificate authority in", state_path, r);
    if (change.made)
        fprintf(stderr, "%segress-ca: made a certificate authority for %s\n", level(SD_NOTICE),
                sandbox);
    r = change.bridge ? ca_publish_bridge(public, change.bridge) : 0;
    X509_free(change.bridge);
    if (r < 0)
        return fail("cannot publish the signature of the authority before in", public_path, r);
    /* The proxy that runs issues under the old one: what trusts the new one comes when the proxy
     * does, which is started anew for that. */
    return anew ? 0 : publish(state, public, state_path, public_path);
}

/* Whose authority it is stays: that of the proxy that runs, which issues under it. */
static int refresh(int all, const char *sandbox)
{
    _cleanup_free_ char *state_path = NULL, *public_path = NULL;

    if (asprintf(&state_path, EGRESS_STATE_DIR "/%s", sandbox) < 0 ||
        asprintf(&public_path, EGRESS_PUBLIC_DIR "/%s", sandbox) < 0)
        return fail("cannot refresh", sandbox, -ENOMEM);
    _cleanup_close_ int public =
        openat(all, sandbox, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (public < 0)
        return fail("cannot open", public_path, -errno);
    _cleanup_close_ int state = open(state_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (state < 0)
        return fail("cannot open", state_path, -errno);
    if (flock(state, LOCK_EX) < 0)
        return fail("cannot lock", state_path, -errno);

    /* Its socket is about to open, and publishes what there is then. */
    if (faccessat(public, EGRESS_BUNDLE_NAME, F_OK, 0) < 0)
        return 0;
    return publish(public, public, public_path, public_path);
}

/* Every sandbox, also when one fails. A socket that is closed takes the same lock before it takes
 * its files away, so that none comes back after that. */
static int refresh_all(void)
{
    _cleanup_close_ int lock = open(RUN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = 0;

    if (lock < 0)
        return errno == ENOENT ? 0 : fail("cannot open", RUN_DIR, -errno);
    if (flock(lock, LOCK_EX) < 0)
        return fail("cannot lock", RUN_DIR, -errno);
    _cleanup_closedir_ DIR *all = opendir(EGRESS_PUBLIC_DIR);
    if (!all)
        return errno == ENOENT ? 0 : fail("cannot open", EGRESS_PUBLIC_DIR, -errno);
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] != '.')
            status |= refresh(dirfd(all), entry->d_name);
    return status;
}

int main(int argc, char **argv)
{
    const bool anew = argc == 5 && strcmp(argv[1], "--anew") == 0;

    /* What is published is for everybody, and modes are given where things are made. */
    umask(022);
    if (argc == 2 && strcmp(argv[1], "--refresh") == 0)
        return refresh_all();
    if (argc != 4 && !anew) {
        fputs("egress-ca [--anew] SANDBOX STATE-DIRECTORY PUBLIC-DIRECTORY\n"
              "egress-ca --refresh\n\n"
              "Makes the certificate authority of a sandbox unless it is there, and publishes\n"
              "what its programs are to trust; see pam-sandbox-egress(8).\n\n"
              "  --anew     makes another one, for the proxy's next start\n"
              "  --refresh  publishes again for all sandboxes, after the system's store changed\n",
              stderr);
        return 2;
    }
    argv += anew;
    return run(argv[1], argv[2], argv[3], anew);
}
