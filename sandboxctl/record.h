/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* That a check held, for the same job to rely on: what it was a check of, and what it found. */

#include "conf/snapshot.h"

#include <stdint.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-json.h>

struct record {
    sd_id128_t boot;
    char *digest;           /* of the snapshot */
    char *version;          /* of the package */
    sd_json_variant *job;   /* the variables that name a job in its CI system: an object */
    uint64_t realtime_usec; /* when the check ended; microseconds since 1970 */
    uint64_t n_held, n_skipped;
};

void record_done(struct record *record);

/* What a check that runs now would be a check of; nothing found. -ENOMSG: the environment names no
 * job. Otherwise 0 or a negative errno. */
int record_of_now(const char *digest, struct record *ret);

/* Names of the variables that name a job, ending with NULL. */
extern const char *const record_job_variables[];

/* What one is a check of and the other is not, as words; NULL: nothing. */
const char *record_difference(const struct record *a, const struct record *b);

/* Reads what record_write() wrote, if it can be by root alone: a regular file of uid 0 that nobody
 * else may write. -ENOENT: none there; -EPERM: somebody else's; -EBADMSG: no record; else another
 * negative errno. */
int record_read(const char *path, struct record *ret);

/* By rename, in a directory of uid 0 that nobody else may write, as others could put in the file's
 * place what they like; -EPERM: it is none. Otherwise 0 or a negative errno. */
int record_write(const char *path, const struct record *record);
