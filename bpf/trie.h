/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The policy in the kernel: tries, of which one is in force. All functions return 0 or a negative
 * errno. */

#include "bpf/policy-make.h"

/* Makes a trie that is frozen with what the list says; the caller closes the descriptor. */
int trie_make(const struct policy_list *list, int *ret_fd);

/* The trie in force in the map `policy`; -ENOENT: none is. */
int trie_in_force(int policy_fd, int *ret_fd);

/* Puts a trie in force, and returns when no program looks at another one any more. */
int trie_put(int policy_fd, int trie_fd);
