/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A directory that stands for /, and what the loaders report about it. */

#include <sys/types.h>

#include "conf/config.h"

struct tree {
    char root[64];
    char problems[16384]; /* "FILE:LINE: MESSAGE\n", in the order of the calls */
};

/* cmocka's set-up and tear-down of a test: *state is a struct tree. */
int tree_setup(void **state);
int tree_teardown(void **state);

/* Writes a file, mode 0644, and the directories it is in. */
void tree_write(const struct tree *tree, const char *path, const char *text);
/* The path below the root; valid until the next call. */
const char *tree_path(const struct tree *tree, const char *path);

/* Collects into tree->problems; userdata is the tree. */
void tree_problem(const char *file, unsigned line, const char *message, void *userdata);

/* Loads /etc and expects exactly these problems. The configuration, or NULL after problems. */
struct config *tree_load(struct tree *tree, bool check_host, const char *problems);
/* The same for one text in CONFIG_ADMIN_FILE, whose name is left out in problems: "LINE: …". */
struct config *tree_load_text(struct tree *tree, const char *text, const char *problems);
/* For texts that must be refused, or where the configuration is of no interest. */
void tree_expect(struct tree *tree, const char *text, const char *problems);

/* config_write() as a string to be freed. */
char *tree_text(const struct config *config, bool origins);
