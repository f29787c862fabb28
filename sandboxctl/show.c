/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl show: the configuration after merging, in its own syntax. */
#include "conf/cleanup.h"
#include "conf/config.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>

int verb_show(int argc, char **argv)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const struct config_sandbox *only = NULL;
    const char *root = "";
    bool in_force = false;
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_IN_FORCE:
            in_force = true;
            break;
        case OPTION_ROOT:
            root = optarg;
            break;
        default:
            return EXIT_USAGE;
        }

    const char *where = in_force ? "what is in force" : "the configuration";
    int r;
    if (in_force)
        r = config_load_snapshot(root, say_problem, NULL, &config);
    else {
        /* Whether it fits the host is apply's question; this only shows what is written. */
        const struct config_source source = { .root = root };
        r = config_load_etc(&source, say_problem, NULL, &config);
    }
    if (r == -ENOENT)
        return say_error(0,
                         "nothing is in force; sandboxctl apply puts the configuration in force");
    if (r == -EINVAL)
        return say_error(0, "%s has errors", where);
    if (r < 0)
        return say_error(r, "cannot read %s", where);

    if (optind < argc) {
        only = config_find_sandbox(config, argv[optind]);
        if (!only)
            return say_error(0, "no sandbox \"%s\" in %s", argv[optind], where);
    }
    /* The snapshot's own lines say nothing about where a value came from. */
    r = config_write(config, only, !in_force, stdout);
    if (r < 0)
        return say_error(r, "cannot print %s", where);
    return EXIT_SUCCESS;
}
