/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishes what containers.h makes, once what containers are to trust is published. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/containers.h"
#include "pam_sandbox/proxied.h"

static void report_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s:%u: %s\n", file, line, message);
}

/* Under another name first: somebody may be reading. */
static int replace(const char *path, const char *text)
{
    _cleanup_free_ char *temporary = NULL;
    _cleanup_close_ int fd = -EBADF;
    const size_t size = strlen(text);
    ssize_t n;

    if (asprintf(&temporary, "%s.new", path) < 0)
        return -ENOMEM;
    fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    n = write(fd, text, size);
    if (n != (ssize_t)size)
        return n < 0 ? -errno : -EIO;
    return rename(temporary, path) < 0 ? -errno : 0;
}

static int publish(const char *text, const char *before, const char *name, const char *suffix)
{
    _cleanup_free_ char *path = NULL;

    if (!text || asprintf(&path, "%s%s%s", before, name, suffix) < 0) {
        fputs("out of memory\n", stderr);
        return -ENOMEM;
    }
    int r = replace(path, text);
    if (r < 0)
        fprintf(stderr, "cannot write %s: %s\n", path, strerror(-r));
    return r;
}

int main(int argc, char **argv)
{
    _cleanup_(config_freep) struct config *config = NULL;
    _cleanup_free_ char *conf = NULL, *device = NULL;

    if (argc != 2) {
        fputs("containers SANDBOX\n\nPublishes what its containers need to use its proxy; see\n"
              "pam-sandbox-egress(8).\n",
              stderr);
        return 2;
    }
    umask(022);
    int r = config_load_snapshot_of("", argv[1], report_problem, NULL, &config);
    if (r < 0) {
        fprintf(stderr, "cannot read what is in force of sandbox %s: %s\n", argv[1], strerror(-r));
        return 1;
    }
    const struct config_sandbox *sandbox = &config->sandboxes[0];

    const bool for_java = proxied_for_java(sandbox);
    conf = containers_conf(sandbox, for_java);
    device = containers_device(sandbox, for_java);
    if (mkdir(CDI_DIR, 0755) < 0 && errno != EEXIST) {
        fprintf(stderr, "cannot make " CDI_DIR ": %m\n");
        return 1;
    }
    if (publish(device, CDI_DIR "/pam-sandbox-", sandbox->name, ".json") < 0 ||
        publish(conf, EGRESS_PUBLIC_DIR "/", sandbox->name, "/" EGRESS_CONTAINERS_NAME) < 0)
        return 1;
    return 0;
}
