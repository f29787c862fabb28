/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/set-id-programs.h"

#include <string.h>

/* Root's privilege by these is what rootless containers need: newuidmap(1) maps no ids but those
 * that subuid(5) gives the caller. */
const char *const set_id_programs[N_SET_ID_PROGRAMS] = { "/usr/bin/newuidmap",
                                                         "/usr/bin/newgidmap" };

bool set_id_program_allowed(const char *path)
{
    for (int i = 0; i < N_SET_ID_PROGRAMS; i++)
        if (strcmp(set_id_programs[i], path) == 0)
            return true;
    return false;
}
