/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel policy has no file made for a core dump. A program is started for one by the kernel,
 * as root, without anything that the policy is asked about: do_coredump() in fs/coredump.c. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/cleanup.h"
#include "lock/ask.h"
#include "lock/core.h"

bool core_pattern_hands_on(const char *pattern)
{
    /* What systemd writes at boot until somebody says otherwise: disable_coredumps() in its
     * src/core/main.c. */
    return strcmp(pattern, "|/bin/false") != 0 && (*pattern == '|' || *pattern == '@');
}

int core_is_handed_on(char *pattern, size_t size)
{
    _cleanup_fclose_ FILE *file = fopen(CORE_PATTERN_FILE, "re");

    if (!file)
        return -errno;
    if (!fgets(pattern, (int)size, file))
        return ferror(file) ? -EIO : -ENODATA;
    pattern[strcspn(pattern, "\n")] = '\0';
    return core_pattern_hands_on(pattern);
}

int ask_core(const struct lock_user *user, const struct report *report)
{
    char pattern[256];
    int r = core_is_handed_on(pattern, sizeof pattern);

    if (r < 0)
        report_errno(report, r, "cannot read " CORE_PATTERN_FILE);
    if (r <= 0)
        return r;
    report_message(report,
                   "deny-reads: core dumps are handed to \"%s\", and by that to \"%s\", memory and "
                   "environment; sysctl kernel.core_pattern=core keeps them from that user, or "
                   "deny-reads = false does without",
                   pattern, user->names[0]);
    return -EPERM;
}
