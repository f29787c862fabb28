/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <security/pam_appl.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/environment.h"
#include "pam_sandbox/proof.h"
#include "pam_sandbox/proxied.h"
#include "pam_sandbox/stage.h"

/* A stack that hangs is one that does not hold. */
#define PROOF_TIMEOUT_SEC 60

/* A variable that the session must lose. */
#define PROOF_CANARY "PAM_SANDBOX_CANARY"

/* Where Linux-PAM looks for a service, in its order (libpam/pam_handlers.c, vendor directory
 * included); the first that is there is the one to blame. */
static void blame(const char *service, const char *problem)
{
    static const char *const directories[] = { "/etc/pam.d", "/usr/lib/pam.d" };
    char path[256];

    snprintf(path, sizeof path, "/etc/pam.d/other");
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        char candidate[256];

        snprintf(candidate, sizeof candidate, "%s/%s", directories[i], service);
        if (access(candidate, F_OK) == 0) {
            snprintf(path, sizeof path, "%s", candidate);
            break;
        }
    }

    fprintf(stderr,
            "PAM service %s: %s. To blame is %s or a file that it includes; "
            "\"pam-auth-update --enable pam-sandbox\" puts the module's lines back into the "
            "common files, and a file of its own needs \"account required pam_sandbox.so\" and "
            "\"session required pam_sandbox.so\", the latter as its last session line.\n",
            service, problem, path);
}

static int converse(int n, const struct pam_message **message, struct pam_response **response,
                    void *data)
{
    (void)n;
    (void)message;
    (void)response;
    (void)data;
    return PAM_CONV_ERR;
}

static bool contains(char *const *list, const char *string)
{
    for (; *list; list++)
        if (strcmp(*list, string) == 0)
            return true;

    return false;
}

/* What stands in the handle at the end is what systemd would pass to the session. */
static const char *judge_environment(pam_handle_t *pamh, const struct config_sandbox *sandbox,
                                     const struct admission_user *user, const char *service)
{
    _cleanup_strv_ char **current = pam_getenvlist(pamh), **remove = NULL, **set = NULL;
    const struct environment_session session = {
        .sandbox = sandbox,
        .user = user,
        .service = admission_service(service),
        .phase = ENVIRONMENT_SESSION,
        .for_java = proxied_for_java(sandbox),
        .proving = true,
    };

    if (!current || environment_plan(&session, current, &remove, &set) < 0)
        return "out of memory";
    if (*remove)
        return "another module adds variables after pam_sandbox.so";
    for (char **s = set; *s; s++)
        if (!contains(current, *s))
            return "another module changes variables after pam_sandbox.so";

    return NULL;
}

static const char *judge_view(const struct config_sandbox *sandbox)
{
    struct statvfs fs;

    if (!sandbox->filesystem_view)
        return NULL;
    if (statvfs("/", &fs) < 0)
        return "the session's view of the file system cannot be examined";
    if (!(fs.f_flag & ST_RDONLY))
        return "the session's view of the file system is not in place";

    return NULL;
}

static const char *judge_mark(pam_handle_t *pamh)
{
    const char *mark = pam_getenv(pamh, PROVING_MARK);

    if (!mark)
        return "neither its account nor its session stack leads through pam_sandbox.so";
    if (strcmp(mark, "a") == 0)
        return "its session stack does not lead through pam_sandbox.so";
    if (strcmp(mark, "s") == 0)
        return "its account stack does not lead through pam_sandbox.so";

    return strcmp(mark, "as") == 0 ? NULL : "it leads through pam_sandbox.so more than once";
}

static int put_variables(pam_handle_t *pamh, const char *nonce)
{
    _cleanup_free_ char *proving = NULL;

    if (asprintf(&proving, PROVING_VARIABLE "=%s", nonce) < 0)
        return PAM_BUF_ERR;
    if (pam_putenv(pamh, proving) != PAM_SUCCESS)
        return PAM_BUF_ERR;

    return pam_putenv(pamh, PROOF_CANARY "=1");
}

/* The transaction, as systemd does it. Returns NULL when it holds, else what is wrong. */
static const char *judge(pam_handle_t *pamh, const char *service,
                         const struct config_sandbox *sandbox, const struct admission_user *user,
                         const char *nonce)
{
    const char *problem;

    if (put_variables(pamh, nonce) != PAM_SUCCESS)
        return "out of memory";
    if (pam_acct_mgmt(pamh, PAM_SILENT) != PAM_SUCCESS)
        return "its account stack refuses the sandbox user; the journal has the module's reason";
    (void)pam_setcred(pamh, PAM_ESTABLISH_CRED | PAM_SILENT);
    if (pam_open_session(pamh, PAM_SILENT) != PAM_SUCCESS)
        return "its session stack refuses the sandbox user; the journal has the module's reason";

    if ((problem = judge_mark(pamh)) || (problem = judge_view(sandbox)))
        return problem;

    return judge_environment(pamh, sandbox, user, service);
}

static int run_in_child(const char *service, const struct config_sandbox *sandbox,
                        const struct admission_user *user, const char *nonce)
{
    static const struct pam_conv conversation = { .conv = converse };
    const char *what, *problem;
    pam_handle_t *pamh;
    int r;

    alarm(PROOF_TIMEOUT_SEC);

    r = stage_enter(user->uid, user->gid, &what);
    if (r < 0) {
        fprintf(stderr, "Cannot set the stage for PAM service %s, at %s: %s\n", service, what,
                strerror(-r));
        return EXIT_FAILURE;
    }

    if (pam_start(service, user->name, &conversation, &pamh) != PAM_SUCCESS) {
        fprintf(stderr, "Cannot start PAM service %s\n", service);
        return EXIT_FAILURE;
    }

    problem = judge(pamh, service, sandbox, user, nonce);
    if (problem)
        blame(service, problem);
    (void)pam_close_session(pamh, PAM_SILENT);
    (void)pam_end(pamh, PAM_SUCCESS);
    return problem ? EXIT_FAILURE : EXIT_SUCCESS;
}

int proof_run(const char *service, const struct config_sandbox *sandbox,
              const struct admission_user *user, const char *nonce)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child < 0) {
        fprintf(stderr, "Cannot fork: %m\n");
        return -errno;
    }
    if (child == 0) {
        int code = run_in_child(service, sandbox, user, nonce);

        fflush(NULL);
        _exit(code);
    }

    if (waitpid(child, &status, 0) < 0)
        return -errno;
    if (WIFSIGNALED(status)) {
        blame(service, WTERMSIG(status) == SIGALRM ? "it did not finish in a minute"
                                                   : "a module of it crashed");
        return -EPROTO;
    }

    return WEXITSTATUS(status) == EXIT_SUCCESS ? 0 : -EPROTO;
}
