/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attempt NAME [ARGUMENT…] [+ NAME [ARGUMENT…]]…
 *
 * Runs one attempt and exits with its result, or several one after the other, each in a process of
 * its own so that none spoils the next, and exits with the first one's.
 *
 * attempt batch
 *
 * Tells "ready", then runs what it reads, an attempt a line, until standard input ends, and tells
 * "done" after each. */
#include "sandboxctl/probes/attempt.h"

#include "conf/cleanup.h"

#include <stdio.h>
#include <string.h>

#define MAX_ARGUMENTS 127

static int run_batch(void)
{
    _cleanup_free_ char *line = NULL;
    size_t size = 0;

    attempt_tell("ready");
    while (getline(&line, &size, stdin) > 0) {
        char *argv[MAX_ARGUMENTS + 1], *save = NULL;
        int argc = 0;

        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok_r(line, BATCH_SEPARATOR, &save); word && argc < MAX_ARGUMENTS;
             word = strtok_r(NULL, BATCH_SEPARATOR, &save))
            argv[argc++] = word;
        argv[argc] = NULL;
        if (argc == 0)
            attempt_say(ATTEMPT_UNTRIED, "an attempt without a name");
        else
            attempt_run_forked(argc, argv);
        attempt_tell(BATCH_DONE);
    }
    return ATTEMPT_THROUGH;
}

int main(int argc, char **argv)
{
    enum attempt_result first = ATTEMPT_UNTRIED;
    int n = 0;

    if (argc < 2) {
        fputs("attempt is run by sandboxctl check, see sandboxctl-check(8)\n", stderr);
        return ATTEMPT_UNTRIED;
    }
    if (strcmp(argv[1], "batch") == 0)
        return run_batch();

    for (int begin = 1, end; begin < argc; begin = end + 1, n++) {
        enum attempt_result result;

        for (end = begin; end < argc && strcmp(argv[end], ATTEMPT_SEPARATOR) != 0; end++)
            ;
        argv[end] = NULL;
        if (end == begin)
            result = attempt_say(ATTEMPT_UNTRIED, "an attempt without a name");
        else if (n == 0 && end == argc)
            result = attempt_run(end - begin, argv + begin);
        else
            result = attempt_run_forked(end - begin, argv + begin);
        if (n == 0)
            first = result;
    }

    return first;
}
