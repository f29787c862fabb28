/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door, pam-sandbox-entry(8): who is not named by allow-users or allow-groups, and who is a
 * sandbox, does not get in. */
#include "sandboxctl/probes/place.h"

#include <string.h>
#include <sys/wait.h>

/* Exit status of sandboxctl exec when there was no session. */
#define EXIT_NOT_ENTERED 125

/* door NAME: gets through when a command runs in the sandbox. */
enum attempt_result attempt_door(int argc, char **argv)
{
    const char *const command[] = {
        "/usr/bin/sandboxctl", "exec", "--sandbox", argv[1], "--timeout=60s", "--",
        "/usr/bin/id",         "-un",  NULL
    };
    char output[512];

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no sandbox to enter");
    int r = attempt_capture(command, "", output, sizeof output);
    const char *line = attempt_last_line(output);
    if (r == 0 && strcmp(line, argv[1]) == 0)
        return attempt_say(ATTEMPT_THROUGH, "the door of %s: entered", argv[1]);
    return attempt_say(r == EXIT_NOT_ENTERED ? ATTEMPT_REFUSED : ATTEMPT_UNTRIED,
                       "the door of %s: %s", argv[1], line);
}

static bool has(char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list;
}

/* Root enters any, so that a door that is shut does not look like one that refuses. */
static void try_door(struct probe_run *run, const struct place *place)
{
    const struct place root = PLACE_ROOT;
    struct call tried[] = { CALL("door", run->sandbox->name) },
                control[] = { CALL("door", run->sandbox->name) };

    place_run(run, place, tried, 1);
    place_run(run, &root, control, 1);
    place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_entry_door(struct probe_run *run)
{
    const struct place place = PLACE_NOBODY;

    if (has(run->sandbox->allow_users, "nobody") || has(run->sandbox->allow_groups, "nogroup"))
        probe_skip(run, "user nobody may enter it, and stands for who may not");
    else
        try_door(run, &place);
}

void probe_entry_door_own(struct probe_run *run)
{
    const struct place place = PLACE_SANDBOX(run);

    try_door(run, &place);
}
