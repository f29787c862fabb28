/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Takes one name out of a directory for the calling process alone, so that a probe can see what
 * happens without a file that the rest of the host needs. Returns 0 or a negative errno. */

/* Enters a mount namespace of its own, from which nothing goes back to the host. */
int hide_enter(void);

/* path is no longer there; its siblings are, each as it is. scratch is a directory of root's that
 * is mounted over on the way. It is no error when path is not there to begin with. */
int hide_file(const char *path, const char *scratch);
