/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl reap: what the reaper does when a sandbox's last session ends, by hand. */
#include "reaper/reap.h"

#include "conf/cleanup.h"
#include "conf/config.h"
#include "sandboxctl/door-ask.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>

/* Killing takes milliseconds; a process in an uninterruptible wait may never go. */
#define REAP_MSEC 30000

static int reap(const struct config_sandbox *sandbox, bool force)
{
    say_progress("Reaping %s…", sandbox->name);
    int r = reap_user(sandbox->uid, force, REAP_MSEC);
    say_progress_end();
    if (r == -EBUSY) {
        printf("%s: has an open session, left alone; --force ends it too\n", sandbox->name);
        return EXIT_SUCCESS;
    }
    if (r == -ETIMEDOUT)
        return say_error(0,
                         "something of \"%s\" did not end in %u s; systemd-cgls"
                         " /user.slice/user-%u.slice shows it",
                         sandbox->name, REAP_MSEC / 1000, (unsigned)sandbox->uid);
    if (r < 0)
        return say_error(r, "cannot reap \"%s\"", sandbox->name);
    printf("%s: nothing is left\n", sandbox->name);
    return EXIT_SUCCESS;
}

static int reap_named(const struct config *config, char **names, bool force)
{
    int status = EXIT_SUCCESS;

    /* All or none: a typing error must not end half of what was meant. */
    for (char **name = names; *name; name++)
        if (!config_find_sandbox(config, *name))
            return say_error(0, "no sandbox \"%s\" is in force", *name);
    for (char **name = names; *name; name++)
        if (reap(config_find_sandbox(config, *name), force) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    return status;
}

static int reap_all(const struct config *config, bool force)
{
    int status = EXIT_SUCCESS;

    for (size_t i = 0; i < config->n_sandboxes; i++)
        if (reap(&config->sandboxes[i], force) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    return status;
}

/* Whoever may enter a sandbox may end what it left. */
static int ask_to_reap(const char *name, bool force)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *parameters = NULL;
    int r = sd_json_buildo(&parameters, SD_JSON_BUILD_PAIR_BOOLEAN("force", force));

    if (r < 0)
        return say_error(r, "cannot reap");
    return door_ask("Reap", name, parameters, "cannot reap", NULL, NULL, NULL) < 0 ? EXIT_FAILURE
                                                                                   : EXIT_SUCCESS;
}

static int ask_to_reap_all(char **names, bool force)
{
    int status = EXIT_SUCCESS;

    if (!*names)
        return ask_to_reap(NULL, force);
    for (; *names; names++)
        status |= ask_to_reap(*names, force);
    return status;
}

int verb_reap(int argc, char **argv)
{
    _cleanup_(config_freep) struct config *config = NULL;
    bool force = false;
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_FORCE:
            force = true;
            break;
        default:
            return EXIT_USAGE;
        }

    if (geteuid() != 0)
        return ask_to_reap_all(argv + optind, force);
    int r = config_load_snapshot("", say_problem, NULL, &config);
    if (r == -ENOENT)
        return say_error(0,
                         "nothing is in force; sandboxctl apply puts the configuration in force");
    if (r < 0)
        return say_error(r, "cannot read what is in force");
    return optind < argc ? reap_named(config, argv + optind, force) : reap_all(config, force);
}
