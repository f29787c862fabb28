/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rules between values, and between them and the host. What is wrong is reported; the functions
 * return 0 or -ENOMEM. Private to conf/. */

#include "conf/problem.h"

/* Needs nothing but the configuration. Ids are left to one of the others. */
int check_config(const struct config *config, struct problems *problems);

/* Whether two sandboxes have the same ids. */
int check_ids(const struct config *config, struct problems *problems);

/* Compares with etc/passwd, group, subuid, subgid and the homes below root_fd; ids too. */
int check_host(const struct config *config, int root_fd, struct problems *problems);

/* Reports with the file and line of the option that lives in field, or of its list's element
 * number index. sandbox is NULL for options of struct config. */
void problem_at(const struct config *config, const struct config_sandbox *sandbox,
                const void *field, size_t index, struct problems *problems, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Reports with the file and line where the sandbox is named first. */
void problem_at_section(const struct config *config, const struct config_sandbox *sandbox,
                        struct problems *problems, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
