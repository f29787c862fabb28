/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox-generator: from the configuration to drop-ins, masks and dependencies, in the phase
 * in which PID 1 waits for its generators. Hence nothing here may ask PID 1 or anybody that it has
 * yet to start: no NSS, no D-Bus, no journal, and no /var or /home (systemd.generator(7)). */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"
#include "systemd-generator/emit.h"
#include "systemd-generator/units.h"

struct report {
    unsigned n_problems;
};

static void report_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    struct report *report = userdata;

    report->n_problems++;
    if (line > 0)
        fprintf(stderr, "%s:%u: %s\n", file, line, message);
    else
        fprintf(stderr, "%s: %s\n", file, message);
}

/* PID 1 leads nowhere what its generators write to stderr, and there is no journal yet: what is
 * said goes to the kernel's log. Only PID 1 sets SYSTEMD_SCOPE (systemd.generator(7)); by hand, and
 * in a container that has no such device, stderr is left alone. */
static void connect_kernel_log(void)
{
    if (!getenv("SYSTEMD_SCOPE"))
        return;
    int fd = open("/dev/kmsg", O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    dup2(fd, STDERR_FILENO);
    close(fd);
    /* The kernel takes each write(2) as one record. */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
}

/* What is in force, or, as long as nothing is, what will be once pam-sandbox-users.service has
 * checked it; that also compares with the host's users, which cannot be done here. */
static int load(const char *root, struct config **ret, const char **origin)
{
    struct report report = { 0 };
    int r = config_load_snapshot(root, report_problem, &report, ret);
    if (r != -ENOENT) {
        *origin = SNAPSHOT_FILE;
        if (r < 0 && report.n_problems == 0)
            fprintf(stderr, "%s%s: cannot read: %s\n", root, SNAPSHOT_FILE, strerror(-r));
        return r;
    }

    const struct config_source source = { .root = root, .check_host = false };
    *origin = "/etc/pam-sandbox";
    r = config_load_etc(&source, report_problem, &report, ret);
    if (r < 0 && report.n_problems == 0)
        fprintf(stderr, "%s/etc/pam-sandbox: cannot read: %s\n", root, strerror(-r));
    return r;
}

static void help(FILE *out)
{
    fputs(
        "pam-sandbox-generator [--root=DIR] NORMAL-DIR EARLY-DIR LATE-DIR\n"
        "\n"
        "Run by systemd at boot and whenever it is reloaded. Writes drop-ins of each sandbox and\n"
        "masks of stopped services into EARLY-DIR, which must be empty of them.\n"
        "\n"
        "  --root=DIR  read DIR/etc/pam-sandbox and DIR/run/pam-sandbox\n"
        "  --help      show this text\n"
        "  --version   show the version\n",
        out);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "root", required_argument, NULL, 'r' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { 0 },
    };
    const char *root = "", *origin;
    int option;

    connect_kernel_log();
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 'r':
            root = strcmp(optarg, "/") == 0 ? "" : optarg;
            break;
        case 'h':
            help(stdout);
            return 0;
        case 'v':
            puts("pam-sandbox " PACKAGE_VERSION);
            return 0;
        default:
            return 2;
        }
    if (argc - optind != 3) {
        help(stderr);
        return 2;
    }

    const char *early = argv[optind + 1];
    _cleanup_close_ int fd = open(early, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, "%s: cannot open the output directory: %m\n", early);
        return 1;
    }

    _cleanup_(config_freep) struct config *config = NULL;
    int r = load(root, &config, &origin);
    if (r < 0) {
        fputs("pam-sandbox-generator: wrote nothing; correct the above, then run `sandboxctl "
              "apply`\n",
              stderr);
        return 1;
    }

    const struct emit emit = { .directory_fd = fd, .directory = early, .origin = origin };
    return units_emit(&emit, config) < 0 ? 1 : 0;
}
