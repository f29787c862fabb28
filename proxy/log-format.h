/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A record as one line of JSON, and as a line for people. */

#include "proxy/log.h"

/* The longest string that a record keeps of what a client sent. */
#define LOG_TEXT_MAX 1024

/* Without a newline; the caller frees it. Returns 0 or a negative errno. */
int log_format_json(const char *sandbox, const struct log_record *record, char **ret);

/* That so many records were lost in between. */
int log_format_lost(const char *sandbox, uint64_t now_usec, uint64_t lost, char **ret);

/* NAME=text; *ret is NULL when text is. -ENOMEM. */
int log_format_field(const char *name, const char *text, char **ret);

/* "refused POST example.org/path: no-write-rule". */
void log_format_text(const struct log_record *record, char *buffer, size_t size);
