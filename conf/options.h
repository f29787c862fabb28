/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The one table of options. The parser's set-up, merging, checks of single values, config_write(),
 * origins and the option list of pam-sandbox.conf(5) follow from it. Private to conf/. */

#include "conf/problem.h"

/* Sections of which one struct config, or one struct config_sandbox, has one each. */
enum option_section {
    SECTION_HOST,
    SECTION_RUN0,
    SECTION_RUN0_LIMITS,
    SECTION_SANDBOX, /* this and what follows is in struct config_sandbox */
    SECTION_SANDBOX_LIMITS,
    SECTION_EGRESS,
    SECTION_LOCAL,
    N_SECTIONS,
};

struct section {
    const char *name;
    enum option_section parent; /* itself: a top-level section */
};

extern const struct section sections[N_SECTIONS];

struct option;

/* How values of one type live in the structure. target is the struct config or struct
 * config_sandbox that the option's offsets are relative to. */
struct option_type {
    /* Reads text: the value, or one element more of a list. 0, -EINVAL with reason, -EALREADY when
     * the list has it, -ENOMEM. */
    int (*read)(const struct option *option, const char *text, void *target, struct reason *reason);
    /* Writes the value, or the list's element index, as it is read. */
    void (*write)(const struct option *option, const void *target, size_t index, FILE *out);
    /* Elements of the list; of other types 1, or 0 when there is no value to write. */
    size_t (*count)(const struct option *option, const void *target);
    /* Back to no elements, no value. */
    void (*clear)(const struct option *option, void *target);
    bool list;
};

struct option {
    const char *name;
    enum option_section section;
    const struct option_type *type;
    size_t offset;       /* of the field */
    size_t count_offset; /* of the number of elements, for lists that keep one */
    const char
        *fallback;     /* the value of an option that is set nowhere, as text; NULL: none, empty */
    uint64_t min, max; /* of numbers, or of the elements of a list */
    /* A rule of its own for the value's text; NULL: what the type can read is right. */
    int (*check)(const char *text, struct reason *reason);
    const char *about; /* one line for people */
};

extern const struct option options[];
extern const size_t n_options;

/* The first option of struct config_sandbox; all before are of struct config. */
size_t options_first_of_sandbox(void);

/* "limits.tasks": the name as messages show it. */
const char *option_full_name(const struct option *option, char buffer[static 64]);

/* Empties target's options from first up to, not including, last; then, with fallbacks, gives
 * them the values they have when they are set nowhere. */
void options_clear(void *target, size_t first, size_t last);
int options_set_fallbacks(void *target, size_t first, size_t last);

/* Gives the lists of text among them that have no elements a vector, so that none is NULL. */
int options_complete(void *target, size_t first, size_t last);
