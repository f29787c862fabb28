/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the journal's entries about denials are found by, pam-sandbox-denials(8). An id never
 * changes its meaning. Anybody may write an entry with such an id: ours have _UID=0 as well, which
 * journald takes from the kernel. */

/* One denial, or: so many were not logged one by one. */
#define DENIAL_MESSAGE_ID "2585d7844eed436fa3963809452f095b"
#define DENIAL_MESSAGE_ID_REST "33898abf3c324603a1a323963c1b249e"
