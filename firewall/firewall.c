/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox-firewall(8): the nftables table of all sandboxes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "firewall/watch.h"

static int load(void)
{
    _cleanup_(loaded_free) struct loaded loaded = { 0 };
    int r = load_read(&loaded);

    if (r == 0)
        r = load_table(&loaded);
    return r < 0 ? r : load_prove(&loaded);
}

static const struct {
    const char *name;
    int (*run)(void);
} verbs[] = {
    { "run", watch_run },
    { "load", load },
    { "unload", load_remove },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run() < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    fputs("usage: firewall run|load|unload; see pam-sandbox-firewall(8)\n", stderr);
    return 2;
}
