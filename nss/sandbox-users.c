/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* At boot, before anybody looks up a user: takes the configuration of /etc into force and makes its
 * sandboxes exist. The same sequence as `sandboxctl apply`, with nothing to restart. */

#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "lock/lock.h"
#include "nss/users.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define _cleanup_config_ _cleanup_(config_freep)

#define LOCK_TIMEOUT_MSEC 30000

static void print_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    if (line > 0)
        fprintf(stderr, "%s:%u: %s\n", file, line, message);
    else
        fprintf(stderr, "%s: %s\n", file, message);
}

static void print_message(const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "sandbox-users: %s\n", message);
}

static int fail(int error, const char *what)
{
    fprintf(stderr, "sandbox-users: %s: %s\n", what, strerrordesc_np(-error));
    return error;
}

/* Nothing is in force: no sandbox user exists, and no session of one opens. But whoever was locked
 * must not be unlocked by an error. */
static int take_away(const char *root)
{
    int r = snapshot_clear_ready(root);
    int u = users_remove(root);
    int s = snapshot_remove(root);
    int l = lock_keep(root, print_message, NULL);
    r = r < 0 ? r : u < 0 ? u : s < 0 ? s : l;
    return r < 0 ? fail(r, "cannot take away what is in force in " RUN_DIR) : 0;
}

static int put_into_force(const char *root, const struct config *config)
{
    int r = snapshot_clear_ready(root);
    if (r < 0)
        return fail(r, "cannot remove " READY_FILE);
    r = snapshot_write(root, config);
    if (r < 0)
        return fail(r, "cannot write " SNAPSHOT_FILE);
    r = lock_write(root, config, print_message, NULL);
    return r < 0 ? r : users_write(root, config, print_message, NULL);
}

/* A new configuration that cannot be put into force must not stay there by half. */
static void put_back(const char *root, const struct config *previous)
{
    if (previous && put_into_force(root, previous) == 0) {
        fprintf(stderr, "sandbox-users: what was in force before is in force again\n");
        return;
    }
    if (take_away(root) == 0)
        fprintf(stderr, "sandbox-users: nothing is in force now: no sandbox user exists\n");
}

/* The configuration of /etc has errors, which were printed. */
static void refuse(const char *root, const struct config *previous)
{
    if (previous)
        fprintf(stderr, "sandbox-users: /etc/pam-sandbox is not applied; what was in force before "
                        "stays in force\n");
    else if (take_away(root) == 0)
        fprintf(stderr, "sandbox-users: /etc/pam-sandbox is not applied; no sandbox user exists "
                        "until it is corrected and `sandboxctl apply` is run\n");
}

static int run(const char *root)
{
    const struct config_source source = { .root = root, .check_host = true };
    _cleanup_config_ struct config *config = NULL, *previous = NULL;
    _cleanup_close_ int lock = snapshot_lock(root, true, LOCK_TIMEOUT_MSEC);
    if (lock < 0)
        return fail(lock, "cannot take the policy lock " POLICY_LOCK_FILE);

    int r = config_load_snapshot(root, print_problem, NULL, &previous);
    if (r < 0 && r != -ENOENT)
        fprintf(stderr, "sandbox-users: %s cannot be read and is made anew: %s\n", SNAPSHOT_FILE,
                strerrordesc_np(-r));

    r = config_load_etc(&source, print_problem, NULL, &config);
    if (r == 0)
        r = users_check(root, config, print_message, NULL);
    if (r < 0) {
        refuse(root, previous);
        return r;
    }
    r = put_into_force(root, config);
    if (r < 0)
        put_back(root, previous);
    return r;
}

static void print_help(void)
{
    printf(
        "Usage: sandbox-users [--root=DIR]\n"
        "\n"
        "Puts the configuration in /etc/pam-sandbox into force, as far as users go: checks it,\n"
        "writes the snapshot and the files that NSS answers from to /run/pam-sandbox, and makes\n"
        "homes. pam-sandbox-users.service runs it at boot; on a running system use\n"
        "`sandboxctl apply`.\n"
        "\n"
        "  --root=DIR  DIR stands for /\n"
        "  --help      this text\n"
        "  --version   the version\n"
        "\n"
        "Exit status: 0 done; 1 refused or failed, reason on standard error; 2 usage.\n");
}

int main(int argc, char *argv[])
{
    static const struct option options[] = {
        { "root", required_argument, NULL, 'r' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'V' },
        { 0 },
    };
    const char *root = "";
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) >= 0)
        switch (c) {
        case 'r':
            root = strcmp(optarg, "/") == 0 ? "" : optarg;
            break;
        case 'h':
            print_help();
            return 0;
        case 'V':
            printf("%s\n", PACKAGE_VERSION);
            return 0;
        default:
            return 2;
        }
    if (optind < argc) {
        fprintf(stderr, "sandbox-users: unexpected argument \"%s\"; see sandbox-users --help\n",
                argv[optind]);
        return 2;
    }
    return run(root) < 0 ? 1 : 0;
}
