/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Numbers and times as people read them. Each writes into the caller's buffer and returns it. */

#include <stddef.h>
#include <stdint.h>

#define FORMAT_SIZE 64

/* "512B", "1.5G": powers of 1024, as in pam-sandbox.conf(5). */
char *format_bytes(char buffer[static FORMAT_SIZE], uint64_t bytes);

/* "12/64"; "12" without a maximum; "-" for used STATUS_UNKNOWN. */
char *format_count(char buffer[static FORMAT_SIZE], uint64_t used, uint64_t max);
char *format_memory(char buffer[static FORMAT_SIZE], uint64_t used, uint64_t max);

/* Local time, "2025-11-29 15:04:05 UTC". */
char *format_time(char buffer[static FORMAT_SIZE], uint64_t realtime_usec);
