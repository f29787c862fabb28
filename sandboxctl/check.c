/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl check: tries, on this host, what a sandbox user must not be able to do. */
#include "sandboxctl/open.h"
#include "sandboxctl/probes/report.h"
#include "sandboxctl/probes/run.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"

#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static void report(const struct finding *finding, void *userdata)
{
    say_progress_end();
    report_finding(userdata, finding);
}

static void progress(const char *name, size_t done, size_t all, void *userdata)
{
    (void)userdata;
    say_progress("%zu of %zu probes done, running %s", done, all, name);
}

/* Splits at commas, in place. The caller frees the vector, not the strings. */
static char **split_patterns(char *list, size_t *n)
{
    char **patterns = calloc(strlen(list) / 2 + 2, sizeof *patterns), *save = NULL;

    *n = 0;
    for (char *p = patterns ? strtok_r(list, ",", &save) : NULL; p; p = strtok_r(NULL, ",", &save))
        patterns[(*n)++] = p;
    return patterns;
}

/* Probes mount, and look for what they mounted: in another view of the file systems than the one
 * that sessions begin in they would prove nothing. */
static bool is_in_host_namespace(void)
{
    struct stat own, host;

    return stat("/proc/self/ns/mnt", &own) == 0 && stat("/proc/1/ns/mnt", &host) == 0 &&
           own.st_ino == host.st_ino;
}

static int can_run(void)
{
    char digest[SNAPSHOT_DIGEST_SIZE];
    int r;

    if (geteuid() != 0) {
        say_error(0, "check opens sessions of sandbox users, which only root can: run it as root");
        return -EPERM;
    }
    if (!is_in_host_namespace()) {
        say_error(0,
                  "check runs in a mount namespace of its own, where it would prove nothing: run "
                  "it from a shell of the host");
        return -EXDEV;
    }
    r = snapshot_ready("", digest);
    if (r < 0)
        say_error(r == -ENOENT || r == -ESTALE ? 0 : r,
                  "the layers are not up, so no session opens: see sandboxctl status, then run "
                  "sandboxctl apply");
    return r;
}

static bool is_named(const char *name, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Returns 0 or a negative errno, after a message. */
static int run_all(const struct config *config, char **names, const struct run_options *options)
{
    _cleanup_free_ char *reason = NULL;
    int r;

    r = run_host(config, options);
    for (size_t i = 0; i < config->n_sandboxes && r >= 0; i++)
        if (is_named(config->sandboxes[i].name, names))
            r = run_sandbox(config, &config->sandboxes[i], options, &reason);
    say_progress_end();
    if (r == -EINTR)
        say_error(0, "interrupted: the check is not complete");
    else if (r < 0 && reason)
        say_error(0, "%s; see journalctl --boot --grep=pam_sandbox", reason);
    else if (r < 0)
        say_error(r, "the check could not run");
    return r;
}

static bool wants_any(const struct config *config, char **names, const struct run_options *options)
{
    if (run_has_any(NULL, options))
        return true;
    for (size_t i = 0; i < config->n_sandboxes; i++)
        if (is_named(config->sandboxes[i].name, names) &&
            run_has_any(&config->sandboxes[i], options))
            return true;
    return false;
}

/* What no probe is about where it is turned off. */
static void say_open(const struct open_item *item, void *userdata)
{
    (void)userdata;
    if (!item->sandboxes)
        fprintf(stderr, "Open: %s: %s.\n", item->option, item->what);
}

static int check(char **names, struct report *output, char **patterns, size_t n_patterns)
{
    const struct run_options options = {
        .patterns = patterns,
        .n_patterns = n_patterns,
        .report = report,
        .progress = progress,
        .userdata = output,
    };
    _cleanup_(config_freep) struct config *config = NULL;
    sigset_t signals;
    int r;

    if (can_run() < 0)
        return EXIT_USAGE;
    r = config_load_snapshot("", say_problem, NULL, &config);
    if (r < 0) {
        say_error(r, "cannot read %s", SNAPSHOT_FILE);
        return EXIT_USAGE;
    }
    for (char **name = names; *name; name++)
        if (!config_find_sandbox(config, *name)) {
            say_error(0, "no sandbox \"%s\" is in force: see sandboxctl status", *name);
            return EXIT_USAGE;
        }
    if (!wants_any(config, names, &options)) {
        say_error(0, "no probe matches: see sandboxctl check --list");
        return EXIT_USAGE;
    }

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);

    if (config->host.lock_user)
        (void)open_list(config, say_open, NULL);
    output->name_sandboxes = *names ? names[1] != NULL : config->n_sandboxes > 1;
    r = run_all(config, names, &options);
    report_end(output);
    if (r < 0)
        return EXIT_USAGE;
    if (say_is_terminal(STDERR_FILENO))
        fprintf(stderr, "%zu hold, %zu failed, %zu skipped\n", output->n[VERDICT_OK],
                output->n[VERDICT_FAIL], output->n[VERDICT_SKIP]);
    return output->n[VERDICT_FAIL] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int verb_check(int argc, char **argv)
{
    struct report output = { .out = stdout };
    _cleanup_free_ char **patterns = NULL;
    size_t n_patterns = 0;
    bool list = false;

    for (int c; (c = verb_getopt(argc, argv)) != -1;)
        switch (c) {
        case OPTION_JSON:
            output.format = REPORT_JSON;
            break;
        case OPTION_TAP:
            output.format = REPORT_TAP;
            break;
        case OPTION_LIST:
            list = true;
            break;
        case OPTION_ONLY:
            free(patterns);
            patterns = split_patterns(optarg, &n_patterns);
            if (!patterns) {
                say_error(ENOMEM, "--only");
                return EXIT_USAGE;
            }
            break;
        default:
            return EXIT_USAGE;
        }

    if (list) {
        report_table(&output);
        return EXIT_SUCCESS;
    }
    return check(argv + optind, &output, patterns, n_patterns);
}
