/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl check: tries, on this host, what a sandbox user must not be able to do. */
#include "sandboxctl/door-ask.h"
#include "sandboxctl/open.h"
#include "sandboxctl/probes/report.h"
#include "sandboxctl/probes/run.h"
#include "sandboxctl/record.h"
#include "sandboxctl/say.h"
#include "sandboxctl/timing.h"
#include "sandboxctl/verbs.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/snapshot.h"
#include "reaper/cgroup.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What the command line asks for. */
struct check {
    char **names; /* of sandboxes; none: all */
    char **patterns;
    size_t n_patterns;
    const char *record; /* a path, NULL: none */
    enum timing_format timing;
    struct report output;
};

static void report(const struct finding *finding, void *userdata)
{
    struct report *output = userdata;

    say_progress_end();
    report_finding(output, finding);
    /* Nobody reads it any more. It is blocked, and waited for between probes. */
    if (ferror(output->out))
        (void)raise(SIGTERM);
}

static void progress(const char *name, size_t done, size_t all, void *userdata)
{
    (void)userdata;
    say_progress("%zu of %zu probes done, running %s", done, all, name);
}

static void stage(const char *name, void *userdata)
{
    (void)userdata;
    timing_stage("%s", name);
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

static int in_force(char digest[static SNAPSHOT_DIGEST_SIZE])
{
    int r = snapshot_ready("", digest);

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

/* Probes are processes of the sandbox's user, which others of that user may stop, trace and answer
 * for. */
static void say_company(const struct config_sandbox *sandbox)
{
    _cleanup_close_ int users = cgroup_open_users();

    if (users >= 0 && cgroup_visit_slice(users, sandbox->uid, false) > 0)
        fprintf(stderr,
                "Note: something of \"%s\" runs already, and could answer in place of a probe; "
                "\"sandboxctl reap --force %s\" ends it.\n",
                sandbox->name, sandbox->name);
}

/* Returns 0 or a negative errno, after a message. */
static int run_all(const struct config *config, char **names, const struct run_options *options)
{
    _cleanup_free_ char *reason = NULL;
    int r;

    r = run_host(config, options);
    for (size_t i = 0; i < config->n_sandboxes && r >= 0; i++)
        if (is_named(config->sandboxes[i].name, names)) {
            say_company(&config->sandboxes[i]);
            r = run_sandbox(config, &config->sandboxes[i], options, &reason);
        }
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

/* Tells whether the record is of this boot, configuration and job, and so the check is done. */
static bool record_holds(const char *path, const struct record *now, struct report *output)
{
    _cleanup_(record_done) struct record record = {};
    const char *difference;
    char text[256], time[sizeof "2026-01-01 00:00:00"];

    int r = record_read(path, &record);
    if (r == -ENOENT)
        return false;
    if (r < 0) {
        say_error(r == -EPERM || r == -EBADMSG ? 0 : r, "%s %s; probing", path,
                  r == -EPERM     ? "may be written by others than root"
                  : r == -EBADMSG ? "is no record of a check"
                                  : "cannot be read");
        return false;
    }
    difference = record_difference(&record, now);
    if (difference) {
        fprintf(stderr, "Note: %s is of another %s; probing again.\n", path, difference);
        return false;
    }
    const time_t at = (time_t)(record.realtime_usec / 1000000);
    strftime(time, sizeof time, "%F %T", localtime(&at));
    snprintf(text, sizeof text,
             "%s: in this boot, configuration and job %" PRIu64 " held and %" PRIu64
             " were skipped at %s",
             path, record.n_held, record.n_skipped, time);
    report_finding(output, &(struct finding){ .name = (char *)"record", .text = text });
    report_end(output);
    return true;
}

/* Called before anything is probed, so that a job does not learn at the end what it lacks. */
static int record_begin(const char *path, const char *digest, struct record *now)
{
    int r = record_of_now(digest, now);

    if (r == -ENOMSG) {
        say_error(0,
                  "--record=%s: no variable of the environment names the job (%s, %s, …);"
                  " sudo passes on what --preserve-env names",
                  path, record_job_variables[1], record_job_variables[4]);
        return r;
    }
    if (r < 0)
        say_error(r, "--record=%s", path);
    return r;
}

static int record_end(const char *path, struct record *now, const struct report *output)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    now->realtime_usec = (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
    now->n_held = output->n[VERDICT_OK];
    now->n_skipped = output->n[VERDICT_SKIP];
    int r = record_write(path, now);
    if (r == -EPERM)
        say_error(0,
                  "--record=%s: others than root may write that directory; /run is one that is"
                  " root's alone",
                  path);
    else if (r < 0)
        say_error(r, "--record=%s", path);
    return r;
}

/* What no probe is about where it is turned off. */
static void say_open(const struct open_item *item, void *userdata)
{
    (void)userdata;
    if (!item->sandboxes)
        fprintf(stderr, "Open: %s: %s.\n", item->option, item->what);
}

/* Returns the exit status. */
static int probe(const struct check *check, struct report *output)
{
    const struct run_options options = {
        .patterns = check->patterns,
        .n_patterns = check->n_patterns,
        .report = report,
        .progress = progress,
        .stage = stage,
        .userdata = output,
    };
    _cleanup_(config_freep) struct config *config = NULL;
    char **names = check->names;
    sigset_t signals;
    int r;

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

static int print_line(const char *line, void *userdata)
{
    (void)userdata;
    return puts(line) < 0 || fflush(stdout) != 0 ? -errno : 0;
}

/* Whether the record tells that there is nothing left to check: 1, 0, or a negative errno after a
 * message. */
static int ask_record(struct check *check, struct record *now,
                      char digest[static SNAPSHOT_DIGEST_SIZE])
{
    int r = in_force(digest);

    if (r < 0 || !check->record)
        return r;
    r = record_begin(check->record, digest, now);
    return r < 0 ? r : record_holds(check->record, now, &check->output);
}

/* The whole check of one sandbox, run by root for who may enter it. */
static int ask_to_check(struct check *check)
{
    _cleanup_(record_done) struct record now = {};
    char digest[SNAPSHOT_DIGEST_SIZE];
    struct door_answer answer;

    if (check->patterns || check->timing || check->output.format != REPORT_PLAIN ||
        (check->names[0] && check->names[1])) {
        say_error(0, "check opens sessions of sandbox users, which only root can; whoever may enter"
                     " a sandbox has it checked as a whole, with no option but --record");
        return EXIT_USAGE;
    }
    int r = check->record ? ask_record(check, &now, digest) : 0;
    if (r != 0)
        return r < 0 ? EXIT_USAGE : EXIT_SUCCESS;
    if (door_ask("Check", check->names[0], NULL, "cannot check", print_line, NULL, &answer) < 0)
        return EXIT_USAGE;
    return answer.status;
}

static int check(struct check *check)
{
    _cleanup_(record_done) struct record now = {};
    char digest[SNAPSHOT_DIGEST_SIZE], after[SNAPSHOT_DIGEST_SIZE];
    int status, r;

    if (geteuid() != 0)
        return ask_to_check(check);
    if (!is_in_host_namespace()) {
        say_error(0,
                  "check runs in a mount namespace of its own, where it would prove nothing: run "
                  "it from a shell of the host");
        return EXIT_USAGE;
    }
    r = ask_record(check, &now, digest);
    if (r != 0)
        return r < 0 ? EXIT_USAGE : EXIT_SUCCESS;

    status = probe(check, &check->output);
    timing_print(check->timing, "sandboxctl check", stderr);
    if (status != EXIT_SUCCESS || !check->record)
        return status;
    if (snapshot_ready("", after) < 0 || strcmp(digest, after) != 0) {
        say_error(0, "--record=%s: the configuration changed meanwhile; nothing is recorded",
                  check->record);
        return EXIT_USAGE;
    }
    return record_end(check->record, &now, &check->output) < 0 ? EXIT_USAGE : EXIT_SUCCESS;
}

int verb_check(int argc, char **argv)
{
    struct check options = { .output.out = stdout };
    _cleanup_free_ char **patterns = NULL;
    bool list = false;

    for (int c; (c = verb_getopt(argc, argv)) != -1;)
        switch (c) {
        case OPTION_JSON:
            options.output.format = REPORT_JSON;
            break;
        case OPTION_TAP:
            options.output.format = REPORT_TAP;
            break;
        case OPTION_LIST:
            list = true;
            break;
        case OPTION_ONLY:
            free(patterns);
            options.patterns = patterns = split_patterns(optarg, &options.n_patterns);
            if (!patterns) {
                say_error(ENOMEM, "--only");
                return EXIT_USAGE;
            }
            break;
        case OPTION_RECORD:
            options.record = optarg;
            break;
        case OPTION_TIMING:
            if (timing_parse(optarg, &options.timing) < 0)
                return EXIT_USAGE;
            break;
        default:
            return EXIT_USAGE;
        }

    options.names = argv + optind;
    if (options.record && (patterns || *options.names)) {
        say_error(0, "--record is of the whole check: leave out --only and names of sandboxes");
        return EXIT_USAGE;
    }
    if (list) {
        report_table(&options.output);
        return EXIT_SUCCESS;
    }
    return check(&options);
}
