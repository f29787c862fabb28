/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox-prove(8): proves the PAM stacks and then declares the host ready. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"
#include "conf/program.h"
#include "conf/snapshot.h"
#include "lock/lock.h"
#include "nss/users.h"
#include "pam_sandbox/proof.h"

static const char *const prove_services[] = { "systemd-run0", "systemd-user" };

static void print_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    if (line > 0)
        fprintf(stderr, "%s:%u: %s\n", file, line, message);
    else
        fprintf(stderr, "%s: %s\n", file, message);
}

static void print_report(const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s\n", message);
}

static int make_nonce(char *nonce, size_t size)
{
    uint8_t bytes[16];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return -EIO;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(nonce + 2 * i, size - 2 * i, "%02x", bytes[i]);

    return 0;
}

static int publish_nonce(const char *nonce)
{
    _cleanup_close_ int fd = -1;
    ssize_t written;

    if (unlink(PROVING_FILE) < 0 && errno != ENOENT)
        return -errno;
    fd = open(PROVING_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;

    written = write(fd, nonce, strlen(nonce));
    if (written < 0)
        return -errno;
    return (size_t)written == strlen(nonce) ? 0 : -EIO;
}

static int prove_stacks(const struct config *config)
{
    _cleanup_(admission_user_done) struct admission_user user = { 0 };
    const struct config_sandbox *sandbox = &config->sandboxes[0];
    char nonce[33];
    int failed = 0, r;

    r = admission_find_user(NSS_PASSWD_FILE, sandbox->name, 0, &user);
    if (r <= 0) {
        fprintf(stderr, "Sandbox user %s is not in %s: run sandboxctl apply\n", sandbox->name,
                NSS_PASSWD_FILE);
        return r < 0 ? r : -ENOENT;
    }

    if ((r = make_nonce(nonce, sizeof nonce)) < 0 || (r = publish_nonce(nonce)) < 0) {
        fprintf(stderr, "Cannot write %s: %s\n", PROVING_FILE, strerror(-r));
        return r;
    }

    /* All of them, so that one run names every file that needs mending. */
    for (size_t i = 0; i < sizeof prove_services / sizeof prove_services[0]; i++) {
        r = proof_run(prove_services[i], sandbox, &user, nonce);
        if (r < 0)
            failed = r;
    }

    unlink(PROVING_FILE);
    return failed;
}

/* The stacks do not depend on which sandbox user asks, so one stands for all. */
static int prove_sandboxes(const struct config *config)
{
    int r;

    if (config->n_sandboxes == 0)
        return 0;

    /* An earlier run that failed has taken them away. */
    if (access(NSS_PASSWD_FILE, F_OK) < 0) {
        r = users_write("", config, print_report, NULL);
        if (r < 0)
            return r;
    }

    return prove_stacks(config);
}

/* Both, so that one run names everything that needs mending. */
static int prove(const struct config *config)
{
    const int sandboxes = prove_sandboxes(config), lock = lock_prove(config, print_report, NULL);

    return sandboxes < 0 ? sandboxes : lock;
}

static int withdraw(void)
{
    int ready = snapshot_clear_ready(""), users = users_remove("");

    if (ready < 0)
        fprintf(stderr, "Cannot remove %s: %s\n", READY_FILE, strerror(-ready));
    if (users < 0)
        fprintf(stderr, "Cannot take the sandbox users away: %s\n", strerror(-users));
    fprintf(stderr, "No sandbox user can open a session until this is put right.\n");
    return EXIT_FAILURE;
}

static int declare_ready(void)
{
    char digest[SNAPSHOT_DIGEST_SIZE];
    int r = snapshot_digest("", digest);

    if (r >= 0)
        r = snapshot_set_ready("", digest);
    if (r < 0)
        fprintf(stderr, "Cannot write %s: %s\n", READY_FILE, strerror(-r));
    return r;
}

static const char help[] =
    "prove [--help] [--version]\n\n"
    "Opens a session through each PAM service that leads to a sandbox, on a stage where\n"
    "nothing of it stays, and declares the host ready when the module had the last word\n"
    "in all of them. Otherwise takes the sandbox users away and says which file is to\n"
    "blame. Whoever starts it holds the policy lock.\n\n"
    "  --help     show this help\n"
    "  --version  show the version\n\n"
    "See pam-sandbox-prove(8).";

int main(int argc, char *argv[])
{
    _cleanup_(config_freep) struct config *config = NULL;
    int r = program_options(argc, argv, help);

    if (r >= 0)
        return r;
    r = config_load_snapshot("", print_problem, NULL, &config);
    if (r == -ENOENT) {
        fprintf(stderr, "Nothing is in force: run sandboxctl apply\n");
        return EXIT_FAILURE;
    }
    if (r < 0 || prove(config) < 0 || declare_ready() < 0)
        return withdraw();

    return EXIT_SUCCESS;
}
