/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cuts the text of a file into its sections, one for each call of libconfuse, and keeps from
 * libconfuse (3.3) what it would take for something else without a word. Private to conf/.
 *
 * Each section is parsed alone because libconfuse forgets what a section of the same title said
 * before, and compares each title with all others. Refused, or taken out, are:
 *  - comments, which it counts as two lines each, and does not allow inside lists;
 *  - characters that it skips silently when they are not quoted: deny-env = { ACTIONS_* } would
 *    read as "ACTIONS_";
 *  - ${NAME} in a string, which it replaces from the environment of whoever parses;
 *  - strings that do not end on their line, and escapes other than \\ \" \$: an error inside a
 *    string would leave its scanner there for the next text;
 *  - control characters, which no option needs. */

#include <stddef.h>

#include "conf/problem.h"

/* Stands first in a list that was written with +=: libconfuse does not tell afterwards. Never in
 * a file, as control characters are refused. */
#define SCAN_APPEND_MARK "\001"

struct scan_section {
    char *text;     /* for libconfuse; NULL when it was refused */
    unsigned line;  /* of text's first byte */
    unsigned start; /* line of its first word */
};

/* Calls section() for each top-level section of text, in order; the text is valid during the
 * call. Returns 0 also after problems, or a negative errno: section()'s own, or -ENOMEM. */
int scan_sections(const char *file, const char *text, size_t size, struct problems *problems,
                  int (*section)(const struct scan_section *section, void *userdata),
                  void *userdata);
