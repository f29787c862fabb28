/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables of a job that its sandbox must not have, ACTIONS_RUNTIME_TOKEN for one: not only in its
 * own environment, but in any that it could read. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool text_begins(const char *text, const char *name)
{
    size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && text[length] == '=';
}

/* Whether the zero-separated assignments of a file have one of the name. */
static bool file_has_name(const char *path, const char *name, size_t *n_read)
{
    _cleanup_fclose_ FILE *file = fopen(path, "re");
    _cleanup_free_ char *assignment = NULL;
    size_t size = 0;
    ssize_t n = 0;

    if (!file)
        return false;
    while ((n = getdelim(&assignment, &size, '\0', file)) >= 0)
        if (text_begins(assignment, name))
            return true;
    if (feof(file) && !ferror(file))
        (*n_read)++;
    return false;
}

/* Whether the text of a file, or of what a program says, has an assignment of the name. */
static bool text_has_name(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *t = text; (t = strstr(t, name)); t += length)
        if (t[length] == '=')
            return true;
    return false;
}

/* Units that were made with an environment, as run0's own is, have it in a file, and systemd says
 * it on the bus to whoever asks. Returns 1, 0, or a negative errno. */
static int units_have_name(const char *name)
{
    const char *const show[] = { "systemctl",           "show", "--property=Environment", "run-*",
                                 "pam-sandbox-check-*", NULL };
    static const char transient[] = "/run/systemd/transient";
    _cleanup_closedir_ DIR *directory = opendir(transient);
    const struct dirent *entry;
    static char text[65536];
    int r = attempt_capture(show, "", text, sizeof text);

    /* A refusal is a status of its own, and no text. */
    if (r < 0)
        return r;
    if (text_has_name(text, name))
        return 1;
    while (directory && (entry = readdir(directory))) {
        char path[400];
        size_t n;

        snprintf(path, sizeof path, "%s/%s", transient, entry->d_name);
        _cleanup_fclose_ FILE *file = fopen(path, "re");
        if (!file)
            continue;
        n = fread(text, 1, sizeof text - 1, file);
        text[n] = '\0';
        if (text_has_name(text, name))
            return 1;
    }
    return 0;
}

/* env-anywhere NAME: gets through when any environment that can be read has it. */
enum attempt_result attempt_env_anywhere(int argc, char **argv)
{
    const char *const show[] = { "systemctl", "--user", "show-environment", NULL };
    _cleanup_closedir_ DIR *proc = opendir("/proc");
    const struct dirent *entry;
    char output[16384];
    size_t n_read = 0;
    int r;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no variable to look for");
    if (!proc)
        return attempt_say(ATTEMPT_UNTRIED, "/proc: %m");

    if (getenv(argv[1]))
        return attempt_say(ATTEMPT_THROUGH, "%s is in its own environment", argv[1]);
    while ((entry = readdir(proc))) {
        char path[300];

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        if (file_has_name(path, argv[1], &n_read))
            return attempt_say(ATTEMPT_THROUGH, "%s is in %s", argv[1], path);
    }
    /* Its own at least must have been readable. */
    if (n_read == 0)
        return attempt_say(ATTEMPT_UNTRIED, "no /proc/PID/environ could be read");

    r = units_have_name(argv[1]);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "systemctl show: %s", strerror(-r));
    if (r > 0)
        return attempt_say(ATTEMPT_THROUGH, "%s is in what systemd says of a unit", argv[1]);
    if (getenv("XDG_RUNTIME_DIR")) {
        r = attempt_capture(show, "", output, sizeof output);
        if (r != 0)
            return attempt_say(ATTEMPT_UNTRIED, "systemctl --user show-environment: %s",
                               r < 0 ? strerror(-r) : attempt_last_line(output));
        for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
            if (text_begins(line, argv[1]))
                return attempt_say(ATTEMPT_THROUGH, "%s is in the user manager's environment",
                                   argv[1]);
    }
    return attempt_say(ATTEMPT_REFUSED,
                       "looking for %s in %zu environments and in units: not there", argv[1],
                       n_read);
}

void probe_env_job_variables(struct probe_run *run)
{
    char name[96], assignment[128], line[64];
    const char *environment[] = { assignment, NULL }, *setenvs[] = { name, NULL };
    const struct place sandbox = { .user = run->sandbox->name,
                                   .setenv = setenvs,
                                   .environment = environment };
    const struct place holder = { .environment = environment }, root = PLACE_ROOT;
    struct call attempt[] = { CALL("env-anywhere", name) }, seen[] = { CALL("env-anywhere", name) };
    struct call hold[] = { CALL("hold") };
    struct visit visit;

    if (!run->sandbox->filesystem_view) {
        probe_skip(run, "filesystem-view is false: /run/systemd/transient says what was given to "
                        "anybody's session by --setenv=");
        return;
    }
    snprintf(name, sizeof name, "ACTIONS_CANARY_%s", run->token);
    snprintf(assignment, sizeof assignment, "%s=canary", name);

    /* A process of root's that has it for as long as the session looks, beside run0 itself. */
    visit_begin(run, &holder, hold, 1, &visit);
    if (visit_line(&visit, line, sizeof line)) {
        place_run(run, &sandbox, attempt, 1);
        place_run(run, &root, seen, 1);
    }
    visit_end(&visit);
    place_judge(run, attempt);
    place_judge_control(run, seen);
}
