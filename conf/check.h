/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rules between values, and between them and the host. What is wrong is reported; the functions
 * return 0 or -ENOMEM. Private to conf/. */

#include "conf/problem.h"

/* Needs nothing but the configuration. */
int check_config(const struct config *config, struct problems *problems);

/* Compares with etc/passwd, group, subuid, subgid and the homes below root_fd. */
int check_host(const struct config *config, int root_fd, struct problems *problems);

/* Reports with the file and line of an option's value, or of its list's element number index.
 * sandbox is NULL for options of struct config. section and name say which option it is. */
void problem_at(const struct config *config, const struct config_sandbox *sandbox,
                const void *field, size_t index, struct problems *problems, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
