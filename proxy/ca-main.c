/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include "conf/cleanup.h"
#include "proxy/ca.h"

#define SYSTEM_BUNDLE "/etc/ssl/certs/ca-certificates.crt"

static int fail(const char *what, const char *where, int r)
{
    fprintf(stderr, SD_ERR "egress-ca: %s %s: %s\n", what, where, strerror(-r));
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

int main(int argc, char **argv)
{
    bool made;
    X509 *certificate;

    if (argc != 4) {
        fputs("egress-ca SANDBOX STATE-DIRECTORY PUBLIC-DIRECTORY\n\n"
              "Makes the certificate authority of a sandbox unless it is there, and publishes\n"
              "what its programs are to trust; see pam-sandbox-egress(8).\n",
              stderr);
        return 2;
    }
    /* What is published is for everybody, and modes are given where things are made. */
    umask(022);
    _cleanup_close_ int state = open_directory(argv[2], 0700);
    if (state < 0)
        return fail("cannot make or open", argv[2], state);
    _cleanup_close_ int public = open_directory(argv[3], 0755);
    if (public < 0)
        return fail("cannot make or open", argv[3], public);

    int r = ca_ensure(state, argv[1], &made);
    if (r < 0)
        return fail("cannot make a certificate authority in", argv[2], r);
    if (made)
        fprintf(stderr, SD_NOTICE "egress-ca: made a certificate authority for %s\n", argv[1]);
    _cleanup_close_ int fd = openat(state, CA_CERTIFICATE_FILE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail("cannot read the certificate in", argv[2], -errno);
    r = ca_read_certificate(fd, &certificate);
    if (r < 0)
        return fail("cannot read the certificate in", argv[2], r);
    r = ca_publish(public, certificate, SYSTEM_BUNDLE);
    X509_free(certificate);
    if (r < 0)
        return fail("cannot publish the certificate in", argv[3], r);
    return 0;
}
