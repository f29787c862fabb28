/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What long work spent its time on. One list a process, as there is one piece of long work. */

#include <stdio.h>

enum timing_format {
    TIMING_OFF,
    TIMING_TABLE,    /* for people */
    TIMING_MARKDOWN, /* for the summary of a CI job */
};

/* FORMAT of --timing, NULL: the table. Returns 0, or -EINVAL after a message. */
int timing_parse(const char *text, enum timing_format *ret);

/* From here on the work is at a stage of this name; the one before is over. */
__attribute__((format(printf, 1, 2))) void timing_stage(const char *format, ...);

/* Ends the last stage, prints all of them and their sum under a title, and forgets them. Nothing
 * when the format is TIMING_OFF. */
void timing_print(enum timing_format format, const char *title, FILE *out);
